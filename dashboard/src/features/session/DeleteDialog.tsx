import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  TextField,
} from '@mui/material';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { asApiError } from '../../api/errors';
import { keys } from '../../api/keys';
import { deleteSession } from '../../api/sessions';

/** The most characters of a reason, as the API takes them. */
const MAX_REASON = 500;

/** The dialog was opened to write into it. */
const focus = (input: HTMLElement | null) => input?.focus();

interface DeleteDialogProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** Asks for the reason before a session is deleted. Afterwards the page says who deleted it, when and why. */
export default function DeleteDialog({ id, onClose }: DeleteDialogProps) {
  const heading = useId();
  const [reason, setReason] = useState('');
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteSession(id, reason.trim()),
    onSuccess: () => client.resetQueries({ queryKey: keys.detail(id) }),
  });
  const ready = reason.trim() !== '' && !remove.isPending;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (ready) remove.mutate();
  }

  return (
    <Dialog open onClose={onClose} aria-labelledby={heading} data-testid="delete-dialog">
      <form onSubmit={submit}>
        <DialogTitle id={heading}>Delete this session?</DialogTitle>
        <DialogContent>
          <DialogContentText sx={{ mb: 2 }}>
            The session and its replays are deleted with everything that belongs to them. This
            cannot be undone. Your name, the time and the reason are kept.
          </DialogContentText>
          <TextField
            label="Reason"
            helperText="Do not repeat what is to be deleted: everyone who opens the session reads this."
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            inputRef={focus}
            fullWidth
            required
            slotProps={{ htmlInput: { maxLength: MAX_REASON } }}
          />
          {remove.error && (
            <Alert severity="error" sx={{ mt: 2 }}>
              {asApiError(remove.error).message}
            </Alert>
          )}
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>Keep</Button>
          <Button type="submit" color="error" variant="contained" disabled={!ready}>
            Delete session
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
