import { Button } from '@mui/material';
import { Callout } from './Callout';
import { TraceId } from '../text/TraceId';

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
    <Callout
      tone="error"
      testId={testId}
      title={title}
      titleElement={page ? 'h1' : 'div'}
      action={
        onRetry && (
          <Button color="inherit" size="small" onClick={onRetry} sx={{ whiteSpace: 'nowrap' }}>
            Retry
          </Button>
        )
      }
    >
      {error instanceof Error ? error.message : String(error)}
      <TraceId error={error} />
    </Callout>
  );
}
