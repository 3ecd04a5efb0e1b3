import { Button } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { pages } from '../../lib/paths';
import { PlusIcon } from '../../ui/icons';

export function SubmitButton() {
  return (
    <Button component={RouterLink} to={pages.submit} variant="contained" startIcon={<PlusIcon />}>
      Submit an alert
    </Button>
  );
}
