import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Link as RouterLink } from 'react-router';
import { DemoButton } from '../../features/demo/DemoButton';
import { ActiveSessions } from '../../features/sessions/ActiveSessions';
import { History } from '../../features/sessions/History';
import { activeQuery } from '../../features/sessions/queries';
import { SubmitButton } from '../../features/sessions/SubmitButton';
import { pages } from '../../lib/browser/paths';
import { useTitle } from '../../lib/browser/useTitle';
import { useListFeed } from '../../live/LiveProvider';
import { PageHeading } from '../../ui/layout/PageHeading';
import { Column } from '../../ui/layout/layout';

export function SessionsPage() {
  useTitle('Sessions');
  useListFeed();
  // How high the running sessions are decides where the history begins.
  const { isFetched } = useQuery(activeQuery);
  return (
    <>
      <PageHeading title="Sessions" dense actions={<SubmitButton />} />
      <Column gap={1.5} wide>
        <ActiveSessions />
        <Box sx={isFetched ? {} : { visibility: 'hidden' }}>
          <History firstSteps={<FirstSteps />} />
        </Box>
      </Column>
    </>
  );
}

function FirstSteps() {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'center', gap: 1.5 }}>
      <DemoButton />
      <SubmitButton />
      <Button component={RouterLink} to={pages.connect} variant="outlined">
        Connect your systems
      </Button>
    </Box>
  );
}
