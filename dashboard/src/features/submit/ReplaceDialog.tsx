import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
} from '@mui/material';
import { useId } from 'react';

interface ReplaceDialogProps {
  /** Title of the example. */
  readonly example: string;
  readonly onCancel: () => void;
  readonly onReplace: () => void;
}

/** Asks before an example replaces the user's text. */
export function ReplaceDialog({ example, onCancel, onReplace }: ReplaceDialogProps) {
  const heading = useId();
  return (
    <Dialog open onClose={onCancel} aria-labelledby={heading} data-testid="replace-dialog">
      <DialogTitle id={heading}>Replace your text?</DialogTitle>
      <DialogContent>
        <DialogContentText>
          The example “{example}” replaces the alert data that you entered.
        </DialogContentText>
      </DialogContent>
      <DialogActions>
        <Button onClick={onCancel}>Keep my text</Button>
        <Button onClick={onReplace} variant="contained">
          Replace
        </Button>
      </DialogActions>
    </Dialog>
  );
}
