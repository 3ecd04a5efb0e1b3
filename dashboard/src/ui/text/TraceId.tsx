import { Box } from '@mui/material';
import { CopyButton } from './CopyButton';

/** The trace id of a failed request, under which the server's log has the cause; null without one. */
export function traceIdOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('traceId' in error)) return null;
  return typeof error.traceId === 'string' ? error.traceId : null;
}

/** The trace id of an error, to find it in the logs. */
export function TraceId({ error }: { readonly error: unknown }) {
  const id = traceIdOf(error);
  if (id === null) return null;
  return (
    <Box
      component="span"
      data-testid="trace-id"
      sx={{ display: 'block', mt: 0.5, fontSize: '0.75rem', overflowWrap: 'anywhere' }}
    >
      Trace ID <code>{id}</code> <CopyButton text={id} label="Copy trace ID" />
    </Box>
  );
}
