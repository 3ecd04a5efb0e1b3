import { Overview } from '../../features/overview/Overview';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';

export function OverviewPage() {
  useTitle('Overview');
  return (
    <>
      <PageHeading title="Overview">
        Outcomes, duration, usage and failures of all sessions.
      </PageHeading>
      <Overview />
    </>
  );
}
