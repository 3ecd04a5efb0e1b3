import { ActiveSessions } from '../../features/sessions/ActiveSessions';
import { History } from '../../features/sessions/History';
import { SubmitButton } from '../../features/sessions/SubmitButton';
import { useTitle } from '../../lib/useTitle';
import { useListFeed } from '../../live/LiveProvider';
import { PageHeading } from '../../ui/PageHeading';
import { Column } from '../../ui/layout';

export function SessionsPage() {
  useTitle('Sessions');
  useListFeed();
  return (
    <>
      <PageHeading title="Sessions" actions={<SubmitButton />}>
        Running and finished investigations.
      </PageHeading>
      <Column>
        <ActiveSessions />
        <History />
      </Column>
    </>
  );
}
