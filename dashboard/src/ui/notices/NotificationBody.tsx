import { Alert, Snackbar } from '@mui/material';
import type { ReactNode } from 'react';

/** How long it stays. */
const SHOWN_MS = 8000;

export interface NotificationProps {
  readonly severity: 'error' | 'info' | 'success';
  readonly children: ReactNode;
  readonly onClose: () => void;
  readonly testId: string;
}

export default function NotificationBody(props: NotificationProps) {
  const { severity, children, onClose, testId } = props;
  return (
    <Snackbar open onClose={onClose} autoHideDuration={SHOWN_MS}>
      <Alert severity={severity} onClose={onClose} data-testid={testId}>
        {children}
      </Alert>
    </Snackbar>
  );
}
