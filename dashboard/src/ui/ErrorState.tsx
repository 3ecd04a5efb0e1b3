import { Alert, AlertTitle, Button } from '@mui/material';

interface ErrorStateProps {
  readonly title: string;
  readonly message: string;
  readonly onRetry?: () => void;
  readonly testId?: string;
}

export function ErrorState({ title, message, onRetry, testId = 'error-state' }: ErrorStateProps) {
  return (
    <Alert
      severity="error"
      data-testid={testId}
      action={
        onRetry && (
          <Button color="inherit" size="small" onClick={onRetry} sx={{ whiteSpace: 'nowrap' }}>
            Try again
          </Button>
        )
      }
    >
      <AlertTitle>{title}</AlertTitle>
      {message}
    </Alert>
  );
}
