import { Skeleton } from '@mui/material';
import { ErrorState } from './ErrorState';

interface LoadStateProps {
  readonly query: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  /** What is loaded, in lower case: `services`. */
  readonly noun: string;
  readonly heightPx: number;
}

/** A placeholder while a query is pending, its error when it failed, nothing when it succeeded. */
export function LoadState({ query, noun, heightPx }: LoadStateProps) {
  if (query.isPending) {
    return (
      <Skeleton variant="rounded" height={heightPx} role="status" aria-label={`Loading ${noun}`} />
    );
  }
  if (!query.error) return null;
  return (
    <ErrorState
      title={`Could not load ${noun}`}
      error={query.error}
      onRetry={() => void query.refetch()}
    />
  );
}
