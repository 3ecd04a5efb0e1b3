import { Typography } from '@mui/material';
import { asApiError } from '../../api/errors';

/** Why something was not done. Lighter than an alert, which comes with the fields. */
export function Failure({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <Typography role="alert" sx={{ color: 'error.main' }}>
      {asApiError(error).message}
    </Typography>
  );
}
