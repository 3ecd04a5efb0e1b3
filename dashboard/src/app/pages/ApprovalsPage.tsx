import { Inbox } from '../../features/approvals/Inbox';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';

export function ApprovalsPage() {
  useTitle('Approvals');
  return (
    <>
      <PageHeading title="Approvals">
        Tool calls waiting for a decision. Undecided calls are denied when they expire.
      </PageHeading>
      <Inbox />
    </>
  );
}
