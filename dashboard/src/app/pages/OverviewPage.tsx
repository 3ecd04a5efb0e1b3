import { Overview } from '../../features/overview/Overview';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';

export function OverviewPage() {
  useTitle('Overview');
  return (
    <>
      <PageHeading title="Overview">All sessions of some time in numbers.</PageHeading>
      <Overview />
    </>
  );
}
