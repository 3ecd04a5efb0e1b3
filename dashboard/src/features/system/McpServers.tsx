import { Box, Paper, Typography } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { testMcpServer, type McpServer } from '../../api/system';
import { plural } from '../../lib/text/format';
import { formatDuration } from '../../lib/time/time';
import { Badge } from '../../ui/badges/Badge';
import { EmptyState } from '../../ui/notices/EmptyState';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { CheckIcon, CrossIcon, ServerIcon } from '../../ui/theme/icons';
import { Column } from '../../ui/layout/layout';
import { RelativeTime } from '../../ui/numbers/times';
import { toneText } from '../../ui/badges/tones';
import { ConnectLink } from './ConnectLink';
import { mcpServersQuery, warningsQuery } from './queries';
import { TestConnection } from './TestConnection';
import { ToolList } from './ToolList';

export function McpServers() {
  const query = useQuery(mcpServersQuery);
  const { data } = query;
  const warned = new Set(useQuery(warningsQuery).data?.warnings.map(({ server_id: id }) => id));
  return (
    <Panel
      title={data ? `MCP servers (${data.servers.length})` : 'MCP servers'}
      actions={<ConnectLink />}
      testId="mcp-servers"
    >
      <LoadState query={query} noun="tool servers" heightPx={96} />
      {data?.servers.length === 0 && (
        <EmptyState icon={<ServerIcon />} title="No tool servers configured">
          Agents can only analyze the text of the alert. Connect a tool server, or add one to
          mcp_servers in tarsy.yaml.
        </EmptyState>
      )}
      <Column gap={1.25}>
        {data?.servers.map((server) => (
          <ServerCard key={server.id} server={server} hasWarning={warned.has(server.id)} />
        ))}
      </Column>
    </Panel>
  );
}

interface ServerCardProps {
  readonly server: McpServer;
  /** A warning has the error. */
  readonly hasWarning: boolean;
}

function ServerCard({ server, hasWarning }: ServerCardProps) {
  const client = useQueryClient();
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
        <Health server={server} />
        {server.policy_mode === 'allow_all' && (
          <Badge tone="warning" tooltip="Its policy lets every tool run without approval">
            All tools allowed
          </Badge>
        )}
        <Secondary sx={{ ml: 'auto' }}>
          {server.last_check === null ? (
            'Not checked yet'
          ) : (
            <>
              Checked <RelativeTime at={server.last_check} updateEveryMs={5000} />
            </>
          )}
        </Secondary>
      </Box>
      {server.error && !hasWarning && (
        <Secondary
          sx={[
            { mt: 0.5, overflowWrap: 'anywhere' },
            !server.not_configured && { color: toneText('error') },
          ]}
        >
          {server.not_configured &&
            'Built in, not set up. Connect it, or set the variables it reads. Details: '}
          {server.error}
        </Secondary>
      )}
      <TestConnection
        to={server.id}
        test={() => testMcpServer(server.id)}
        connected={({ duration_ms: duration, tool_count: tools }) =>
          `Connected in ${formatDuration(duration)}: ${plural(tools, 'tool')}.`
        }
        onSettled={() => client.invalidateQueries({ queryKey: mcpServersQuery.queryKey })}
      />
      <ToolList server={server} />
    </Paper>
  );
}

function Health({ server }: { readonly server: McpServer }) {
  const { healthy, not_configured: notConfigured } = server;
  if (notConfigured) return <Badge tone="neutral">Not configured</Badge>;
  return (
    <Badge tone={healthy ? 'success' : 'error'}>
      {healthy ? <CheckIcon /> : <CrossIcon />}
      {healthy ? 'Healthy' : 'Unhealthy'}
    </Badge>
  );
}
