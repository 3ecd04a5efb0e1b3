import { Box, Button } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { ActiveSessions } from '../../features/sessions/ActiveSessions';
import { History } from '../../features/sessions/History';
import { pages } from '../../lib/paths';
import { useTitle } from '../../lib/useTitle';
import { useListFeed } from '../../live/LiveProvider';
import { PageHeading } from '../../ui/PageHeading';
import { PlusIcon } from '../../ui/icons';

export function SessionsPage() {
  useTitle('Sessions');
  useListFeed();
  return (
    <>
      <PageHeading
        title="Sessions"
        actions={
          <Button
            component={RouterLink}
            to={pages.submit}
            variant="contained"
            startIcon={<PlusIcon />}
          >
            Submit an alert
          </Button>
        }
      >
        What TARSy investigates now, and what it found before.
      </PageHeading>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <ActiveSessions />
        <History />
      </Box>
    </>
  );
}
