import { Alert, AlertTitle, Button } from '@mui/material';
import { TraceId } from './TraceId';

interface ErrorStateProps {
  readonly title: string;
  /** An Error is shown with its message. */
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** True when this is the whole page, whose heading is then the title. */
  readonly page?: boolean;
  readonly testId?: string;
}

export function ErrorState(props: ErrorStateProps) {
  const { title, error, onRetry, page = false, testId = 'error-state' } = props;
  return (
    <Alert
      severity="error"
      data-testid={testId}
      action={
        onRetry && (
          <Button color="inherit" size="small" onClick={onRetry} sx={{ whiteSpace: 'nowrap' }}>
            Retry
          </Button>
        )
      }
    >
      <AlertTitle component={page ? 'h1' : 'div'}>{title}</AlertTitle>
      {error instanceof Error ? error.message : String(error)}
      <TraceId error={error} />
    </Alert>
  );
}
