import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
} from '@mui/material';
import { useId } from 'react';
import { plural } from '../../../lib/text/format';

interface ConfirmDialogProps {
  readonly action: 'cancel' | 'rerun';
  readonly count: number;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

const texts = {
  cancel: {
    question: 'Cancel',
    explanation: 'Running agents and tool calls are stopped. Findings so far are kept.',
    keep: 'Keep running',
  },
  rerun: {
    question: 'Re-run',
    explanation: 'Their alerts are submitted again, and agents investigate them with their tools.',
    keep: 'Keep as they are',
  },
} as const;

/** Asks before an action on several sessions that cannot be taken back. */
export default function ConfirmDialog({ action, count, onClose, onConfirm }: ConfirmDialogProps) {
  const heading = useId();
  const { question, explanation, keep } = texts[action];
  const title = `${question} ${plural(count, 'session')}`;
  return (
    <Dialog open onClose={onClose} aria-labelledby={heading}>
      <DialogTitle id={heading}>{title}?</DialogTitle>
      <DialogContent>
        <DialogContentText>{explanation}</DialogContentText>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{keep}</Button>
        <Button
          onClick={onConfirm}
          color={action === 'cancel' ? 'error' : 'primary'}
          variant="contained"
        >
          {title}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
