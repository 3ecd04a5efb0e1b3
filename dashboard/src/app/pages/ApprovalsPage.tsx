import { Inbox } from '../../features/approvals/Inbox';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';

export function ApprovalsPage() {
  useTitle('Approvals');
  return (
    <>
      <PageHeading title="Approvals">
        Tool calls that wait for a decision. A call that nobody decides in time is denied.
      </PageHeading>
      <Inbox />
    </>
  );
}
