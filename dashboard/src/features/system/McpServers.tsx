import { Box, Paper, Skeleton, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { asApiError } from '../../api/errors';
import type { McpServer } from '../../api/system';
import { formatAgo, formatDateTime } from '../../lib/time';
import { useNow } from '../../lib/useNow';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { Panel } from '../../ui/Panel';
import { CheckIcon, CrossIcon, ServerIcon } from '../../ui/icons';
import { toneColors, toneText } from '../../ui/tones';
import { mcpServersQuery } from './queries';
import { ToolList } from './ToolList';

export function McpServers() {
  const { data, error, isPending, refetch } = useQuery(mcpServersQuery);
  const now = useNow(true, 5000);
  return (
    <Panel
      title={data ? `MCP servers (${data.servers.length})` : 'MCP servers'}
      testId="mcp-servers"
    >
      {isPending && (
        <Skeleton variant="rounded" height={96} role="status" aria-label="Loading tool servers" />
      )}
      {error && (
        <ErrorState
          title="The tool servers could not be loaded"
          message={asApiError(error).message}
          onRetry={() => void refetch()}
        />
      )}
      {data?.servers.length === 0 && (
        <EmptyState icon={<ServerIcon />} title="No tool server is configured">
          Agents can only reason about the alert itself until one is.
        </EmptyState>
      )}
      <Box sx={{ display: 'grid', gap: 1.25, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        {data?.servers.map((server) => (
          <ServerCard key={server.id} server={server} now={now} />
        ))}
      </Box>
    </Panel>
  );
}

function ServerCard({ server, now }: { readonly server: McpServer; readonly now: number }) {
  return (
    <Paper
      variant="outlined"
      data-testid="mcp-server"
      data-healthy={server.healthy}
      sx={{ p: 1.5, bgcolor: 'background.default' }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1.25 }}>
        <Typography component="h3" sx={{ fontWeight: 600, fontFamily: 'var(--tarsy-mono)' }}>
          {server.id}
        </Typography>
        <Health healthy={server.healthy} />
        <Typography sx={{ ml: 'auto', color: 'text.secondary', fontSize: '0.8125rem' }}>
          {server.last_check === null ? (
            'not checked yet'
          ) : (
            <time dateTime={server.last_check} title={formatDateTime(server.last_check)}>
              checked {formatAgo(server.last_check, now)}
            </time>
          )}
        </Typography>
      </Box>
      {server.error && (
        <Typography
          sx={{
            color: toneText('error'),
            fontSize: '0.8125rem',
            mt: 0.5,
            overflowWrap: 'anywhere',
          }}
        >
          {server.error}
        </Typography>
      )}
      <ToolList server={server} />
    </Paper>
  );
}

function Health({ healthy }: { readonly healthy: boolean }) {
  return (
    <Box
      component="span"
      sx={{
        ...toneColors(healthy ? 'success' : 'error'),
        display: 'inline-flex',
        alignItems: 'center',
        gap: 0.5,
        borderRadius: 99,
        px: 1,
        py: 0.125,
        fontSize: '0.75rem',
        fontWeight: 600,
      }}
    >
      {healthy ? <CheckIcon sx={{ fontSize: 14 }} /> : <CrossIcon sx={{ fontSize: 14 }} />}
      {healthy ? 'Healthy' : 'Not healthy'}
    </Box>
  );
}
