import { Alert, Box, Checkbox, FormControlLabel, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { McpServer } from '../../api/system';
import { plural } from '../../lib/text/format';
import { Badge } from '../../ui/badges/Badge';
import { Disclosure } from '../../ui/layout/Disclosure';
import { SearchableTools } from '../../ui/fields/SearchableTools';
import { plainList } from '../../ui/theme/tokens';
import { toolServersQuery } from './queries';
import {
  isToolSelected,
  selectServer,
  serverState,
  toggleTool,
  type ToolSelection,
} from './toolSelection';

interface ServerChoicesProps {
  /** The servers that the chain lets an alert request; undefined while they are loading. */
  readonly allowed: readonly string[] | undefined;
  readonly selection: ToolSelection;
  readonly change: (selection: ToolSelection) => void;
}

/** Checkboxes for whole tool servers and for single tools. */
export function ServerChoices({ allowed, selection, change }: ServerChoicesProps) {
  const { data, error, isPending } = useQuery(toolServersQuery);
  if (isPending || allowed === undefined) {
    return <Typography role="status">Loading tool servers…</Typography>;
  }
  if (error && !data) {
    return <Alert severity="warning">Could not load tool servers: {error.message}</Alert>;
  }
  const servers = (data?.servers ?? []).filter(({ id }) => allowed.includes(id));
  if (servers.length === 0) {
    return (
      <Typography sx={{ fontSize: '0.8125rem' }}>
        Alerts of this type may not select tool servers.
      </Typography>
    );
  }
  return (
    <Box component="ul" aria-label="Tool servers" sx={plainList}>
      {servers.map((server) => (
        <ServerChoice key={server.id} server={server} selection={selection} change={change} />
      ))}
    </Box>
  );
}

interface ServerChoiceProps extends Omit<ServerChoicesProps, 'allowed'> {
  readonly server: McpServer;
}

function ServerChoice({ server, selection, change }: ServerChoiceProps) {
  const state = serverState(selection, server.id);
  return (
    <Box component="li" data-testid="server-choice" data-server={server.id}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap' }}>
        <FormControlLabel
          control={
            <Checkbox
              size="small"
              checked={state === 'all'}
              indeterminate={state === 'some'}
              onChange={() => change(selectServer(selection, server.id, state !== 'all'))}
            />
          }
          label={<Box component="code">{server.id}</Box>}
        />
        {!server.healthy && <Badge tone="warning">Unhealthy</Badge>}
      </Box>
      {server.tools.length > 0 && (
        <Box sx={{ pl: 3.5 }}>
          <Disclosure testId="server-choice-tools" summary={toolCount(server, selection)}>
            <ToolChoices server={server} selection={selection} change={change} />
          </Disclosure>
        </Box>
      )}
    </Box>
  );
}

function toolCount(server: McpServer, selection: ToolSelection) {
  const total = plural(server.tools.length, 'tool');
  const tools = selection.servers[server.id];
  return (
    <Box component="span" sx={{ fontSize: '0.8125rem' }}>
      {Array.isArray(tools) ? `${tools.length} of ${total}` : total}
    </Box>
  );
}

function ToolChoices({ server, selection, change }: ServerChoiceProps) {
  const all = server.tools.map(({ name }) => name);
  return (
    <SearchableTools server={server.id} tools={server.tools}>
      {({ name, description }) => (
        <li key={name}>
          <FormControlLabel
            title={description}
            control={
              <Checkbox
                size="small"
                checked={isToolSelected(selection, server.id, name)}
                onChange={() => change(toggleTool(selection, server.id, name, all))}
              />
            }
            label={
              <Box component="code" sx={{ fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
                {name}
              </Box>
            }
          />
        </li>
      )}
    </SearchableTools>
  );
}
