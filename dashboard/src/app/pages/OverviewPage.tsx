import { Button } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { Overview } from '../../features/overview/Overview';
import { pages } from '../../lib/browser/paths';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';

export function OverviewPage() {
  useTitle('Overview');
  return (
    <>
      <PageHeading
        title="Overview"
        actions={
          <Button component={RouterLink} to={pages.prevention} size="small">
            Prevention
          </Button>
        }
      >
        Outcomes, duration, usage and failures of all sessions.
      </PageHeading>
      <Overview />
    </>
  );
}
