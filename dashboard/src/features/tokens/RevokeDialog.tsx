import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
} from '@mui/material';
import { useId } from 'react';
import type { Revocation } from './revocation';

export function RevokeDialog({ revocation }: { readonly revocation: Revocation }) {
  const { candidate, cancel, confirm } = revocation;
  const heading = useId();
  if (candidate === null) return null;
  return (
    <Dialog open onClose={cancel} aria-labelledby={heading} data-testid="revoke-dialog">
      <DialogTitle id={heading} sx={{ overflowWrap: 'anywhere' }}>
        Revoke {candidate.name}?
      </DialogTitle>
      <DialogContent>
        <DialogContentText>
          Requests with this token are refused within seconds. This cannot be undone.
        </DialogContentText>
      </DialogContent>
      <DialogActions>
        <Button onClick={cancel}>Keep</Button>
        <Button color="error" variant="contained" onClick={() => confirm(candidate)}>
          Revoke token
        </Button>
      </DialogActions>
    </Dialog>
  );
}
