import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  Snackbar,
} from '@mui/material';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { asApiError } from '../../api/errors';
import { keys } from '../../api/keys';
import { cancelSession, type SessionDetail } from '../../api/sessions';
import { isTerminal } from '../../lib/status';
import { StopIcon } from '../../ui/icons';

/** Stops an investigation, after asking. Gone once the session has ended. */
export function CancelButton({ session }: { readonly session: SessionDetail }) {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelSession(session.id),
    onSettled: () => client.invalidateQueries({ queryKey: keys.detail(session.id) }),
  });
  const ended = isTerminal(session.status);
  const cancelling =
    !ended && (session.status === 'cancelling' || cancel.isPending || cancel.isSuccess);

  function confirm(): void {
    setAsking(false);
    cancel.mutate();
  }

  return (
    <>
      {!ended && (
        <Button
          variant="outlined"
          color="error"
          size="small"
          startIcon={<StopIcon />}
          disabled={cancelling}
          onClick={() => setAsking(true)}
          data-testid="cancel-session"
        >
          {cancelling ? 'Cancelling…' : 'Cancel'}
        </Button>
      )}
      <ConfirmDialog open={asking} onClose={() => setAsking(false)} onConfirm={confirm} />
      <CancelFailure error={cancel.error} onClose={cancel.reset} />
    </>
  );
}

interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

function ConfirmDialog({ open, onClose, onConfirm }: ConfirmDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby="cancel-title">
      <DialogTitle id="cancel-title">Cancel this investigation?</DialogTitle>
      <DialogContent>
        <DialogContentText>
          Running agents and tool calls are stopped. What has been found so far is kept.
        </DialogContentText>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Keep it running</Button>
        <Button onClick={onConfirm} color="error" variant="contained">
          Cancel the investigation
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface CancelFailureProps {
  readonly error: unknown;
  readonly onClose: () => void;
}

function CancelFailure({ error, onClose }: CancelFailureProps) {
  if (!error) return null;
  const { status, message } = asApiError(error);
  const late = status === 409;
  return (
    <Snackbar open onClose={onClose} autoHideDuration={8000}>
      <Alert severity={late ? 'info' : 'error'} onClose={onClose} data-testid="cancel-failure">
        {late
          ? 'There was nothing left to cancel: the session has ended.'
          : `Not cancelled: ${message}`}
      </Alert>
    </Snackbar>
  );
}
