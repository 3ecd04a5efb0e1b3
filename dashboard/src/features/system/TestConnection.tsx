import { Box, Button } from '@mui/material';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMay } from '../../api/access';
import { asApiError } from '../../api/errors';
import { testMcpServer } from '../../api/system';
import { formatDuration } from '../../lib/time';
import { Secondary } from '../../ui/Secondary';
import { toneText } from '../../ui/tones';
import { mcpServersQuery } from './queries';

/** Connects to a tool server now, and says what came of it. Hidden from users who may not. */
export function TestConnection({ server }: { readonly server: string }) {
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: () => testMcpServer(server),
    onSettled: () => client.invalidateQueries({ queryKey: mcpServersQuery.queryKey }),
  });
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
        aria-label={`${label} to ${server}`}
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
        {problem ??
          (test.data &&
            `Connected in ${formatDuration(test.data.duration_ms)}: ${test.data.tool_count} tools.`)}
      </Secondary>
    </Box>
  );
}
