import { Button } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { useMay } from '../../api/access';
import { pages } from '../../lib/browser/paths';
import { PlusIcon } from '../../ui/theme/icons';

/** Hidden from users who may not submit. */
export function SubmitButton() {
  if (!useMay('submit_alert')) return null;
  return (
    <Button component={RouterLink} to={pages.submit} variant="contained" startIcon={<PlusIcon />}>
      Submit an alert
    </Button>
  );
}
