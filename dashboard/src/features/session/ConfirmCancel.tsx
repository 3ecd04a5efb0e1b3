import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
} from '@mui/material';

interface ConfirmCancelProps {
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

/** Asks before a session is cancelled. */
export default function ConfirmCancel({ onClose, onConfirm }: ConfirmCancelProps) {
  return (
    <Dialog open onClose={onClose} aria-labelledby="cancel-title">
      <DialogTitle id="cancel-title">Cancel this investigation?</DialogTitle>
      <DialogContent>
        <DialogContentText>
          Running agents and tool calls are stopped. Findings so far are kept.
        </DialogContentText>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Keep running</Button>
        <Button onClick={onConfirm} color="error" variant="contained">
          Cancel investigation
        </Button>
      </DialogActions>
    </Dialog>
  );
}
