import { Button } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { pages } from '../../lib/browser/paths';
import { PlusIcon } from '../../ui/theme/icons';

/** Leads to the page that gives the lines for a tool server. */
export function ConnectLink() {
  return (
    <Button component={RouterLink} to={pages.connect} size="small" startIcon={<PlusIcon />}>
      Connect
    </Button>
  );
}
