import { Box, Button } from '@mui/material';
import { useMutation } from '@tanstack/react-query';
import { useMay } from '../../api/access';
import { asApiError } from '../../api/errors';
import { Secondary } from '../../ui/layout/Secondary';
import { toneText } from '../../ui/badges/tones';

interface TestConnectionProps<Outcome> {
  /** The name of what is connected to. */
  readonly to: string;
  readonly test: () => Promise<Outcome>;
  /** What a connection that works is called. */
  readonly connected: (outcome: Outcome) => string;
  readonly onSettled?: () => unknown;
}

/** Connects to a tool server or to a model now, and says what came of it. Hidden from users who may not. */
export function TestConnection<Outcome extends { readonly error: string | null }>({
  to,
  test: mutationFn,
  connected,
  onSettled,
}: TestConnectionProps<Outcome>) {
  const test = useMutation({ mutationFn, onSettled });
  if (!useMay('accept_tools')) return null;
  const problem = test.error ? asApiError(test.error).message : (test.data?.error ?? null);
  const label = test.isPending ? 'Connecting…' : 'Test connection';
  return (
    <Box sx={{ mt: 1, display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
      <Button
        size="small"
        variant="outlined"
        color="inherit"
        disabled={test.isPending}
        onClick={() => test.mutate()}
        aria-label={`${label} to ${to}`}
      >
        {label}
      </Button>
      <Secondary
        role="status"
        sx={[
          { overflowWrap: 'anywhere', minWidth: 0 },
          problem !== null && { color: toneText('error') },
        ]}
      >
        {problem ?? (test.data && connected(test.data))}
      </Secondary>
    </Box>
  );
}
