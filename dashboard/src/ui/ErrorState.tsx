import { Alert, AlertTitle, Button } from '@mui/material';

interface ErrorStateProps {
  readonly title: string;
  readonly message: string;
  readonly onRetry?: () => void;
  /** Whether it is all that the page shows: its title is the page's then. */
  readonly page?: boolean;
  readonly testId?: string;
}

export function ErrorState(props: ErrorStateProps) {
  const { title, message, onRetry, page = false, testId = 'error-state' } = props;
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
      <AlertTitle component={page ? 'h1' : 'div'}>{title}</AlertTitle>
      {message}
    </Alert>
  );
}
