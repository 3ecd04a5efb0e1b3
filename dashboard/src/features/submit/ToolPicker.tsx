import {
  Alert,
  Box,
  Button,
  Checkbox,
  FormControlLabel,
  MenuItem,
  TextField,
  Typography,
} from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asApiError } from '../../api/errors';
import type { DefaultTools, McpServer } from '../../api/system';
import { plural } from '../../lib/format';
import { Disclosure } from '../../ui/Disclosure';
import { Mark } from '../../ui/Mark';
import { defaultToolsQuery, toolServersQuery } from './queries';
import {
  asConfigured,
  describeChoice,
  isConfigured,
  nativeTools,
  serverTicked,
  setNative,
  tickServer,
  tickTool,
  toolTicked,
  type ToolChoice,
} from './toolChoice';

/** More tools than these get a field to look for one. */
const MANY = 10;

interface ToolPickerProps {
  readonly alertType: string;
  readonly choice: ToolChoice;
  readonly problem: string | undefined;
  readonly change: (choice: ToolChoice) => void;
}

/** Other tools than the chain's, for this one alert. */
export function ToolPicker({ alertType, choice, problem, change }: ToolPickerProps) {
  const { data: defaults } = useQuery(defaultToolsQuery(alertType));
  const configured = isConfigured(choice);
  const usual = defaults ? defaults.mcp_servers.join(', ') || 'no tool server' : 'as configured';
  return (
    <Box data-testid="tool-picker">
      <Disclosure
        open={problem !== undefined}
        summary={
          <Box component="span" sx={{ fontSize: '0.875rem' }}>
            <Box component="span" sx={{ fontWeight: 600, mr: 1 }}>
              Tools
            </Box>
            <Box component="span" sx={{ color: 'text.secondary' }} data-testid="tool-choice">
              {configured ? `the chain’s own: ${usual}` : describeChoice(choice)}
            </Box>
          </Box>
        }
      >
        <Box sx={{ pl: { xs: 0, sm: 3.25 }, display: 'grid', gap: 1.5 }}>
          {problem !== undefined && (
            <Alert severity="error" data-testid="tool-problem">
              {problem}
            </Alert>
          )}
          <Typography sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
            What you tick takes the place of the chain’s servers, for every agent and for questions
            afterwards. Tick none to keep them.
          </Typography>
          <ServerChoices choice={choice} change={change} />
          <NativeChoices choice={choice} defaults={defaults} change={change} />
          {!configured && (
            <Box>
              <Button size="small" onClick={() => change(asConfigured)} data-testid="tools-reset">
                Back to the chain’s own tools
              </Button>
            </Box>
          )}
        </Box>
      </Disclosure>
    </Box>
  );
}

interface ChoicesProps {
  readonly choice: ToolChoice;
  readonly change: (choice: ToolChoice) => void;
}

function ServerChoices({ choice, change }: ChoicesProps) {
  const { data, error, isPending } = useQuery(toolServersQuery);
  if (isPending) return <Typography role="status">Loading the tool servers…</Typography>;
  if (error && !data) {
    return (
      <Alert severity="warning">
        The tool servers could not be loaded: {asApiError(error).message}
      </Alert>
    );
  }
  const servers = data?.servers ?? [];
  if (servers.length === 0) {
    return <Typography sx={{ fontSize: '0.8125rem' }}>No tool server is configured.</Typography>;
  }
  return (
    <Box component="ul" aria-label="Tool servers" sx={{ listStyle: 'none', m: 0, p: 0 }}>
      {servers.map((server) => (
        <ServerChoice key={server.id} server={server} choice={choice} change={change} />
      ))}
    </Box>
  );
}

interface ServerChoiceProps extends ChoicesProps {
  readonly server: McpServer;
}

function ServerChoice({ server, choice, change }: ServerChoiceProps) {
  const ticked = serverTicked(choice, server.id);
  const names = server.tools.map(({ name }) => name);
  return (
    <Box component="li" data-testid="server-choice" data-server={server.id}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap' }}>
        <FormControlLabel
          control={
            <Checkbox
              size="small"
              checked={ticked === 'all'}
              indeterminate={ticked === 'some'}
              onChange={() => change(tickServer(choice, server.id, ticked !== 'all'))}
            />
          }
          label={<Box component="code">{server.id}</Box>}
        />
        {!server.healthy && <Mark tone="warning">not healthy</Mark>}
      </Box>
      {names.length > 0 && (
        <Box sx={{ pl: 3.5 }}>
          <Disclosure
            testId="server-choice-tools"
            summary={
              <Box component="span" sx={{ fontSize: '0.8125rem' }}>
                {ticked === 'some'
                  ? `${choice.servers[server.id]?.length ?? 0} of ${plural(names.length, 'tool')}`
                  : plural(names.length, 'tool')}
              </Box>
            }
          >
            <ToolChoices server={server} choice={choice} change={change} />
          </Disclosure>
        </Box>
      )}
    </Box>
  );
}

function ToolChoices({ server, choice, change }: ServerChoiceProps) {
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLowerCase();
  const names = server.tools.map(({ name }) => name);
  const shown = server.tools.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      {names.length > MANY && (
        <TextField
          size="small"
          label={`Find a tool of ${server.id}`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          sx={{ my: 1 }}
        />
      )}
      <Box
        component="ul"
        aria-label={`Tools of ${server.id}`}
        sx={{ listStyle: 'none', m: 0, p: 0 }}
      >
        {shown.map(({ name, description }) => (
          <li key={name}>
            <FormControlLabel
              title={description}
              control={
                <Checkbox
                  size="small"
                  checked={toolTicked(choice, server.id, name)}
                  onChange={() => change(tickTool(choice, server.id, name, names))}
                />
              }
              label={
                <Box component="code" sx={{ fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
                  {name}
                </Box>
              }
            />
          </li>
        ))}
      </Box>
    </>
  );
}

interface NativeChoicesProps extends ChoicesProps {
  readonly defaults: DefaultTools | undefined;
}

function NativeChoices({ choice, defaults, change }: NativeChoicesProps) {
  return (
    <Box role="group" aria-label="The model’s own tools">
      <Typography component="p" sx={{ fontSize: '0.8125rem', fontWeight: 600, mb: 1 }}>
        The model’s own tools
      </Typography>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5 }}>
        {nativeTools.map(({ id, label }) => {
          const chosen = choice.native[id];
          const usual = defaults?.native_tools[id];
          return (
            <TextField
              key={id}
              select
              size="small"
              label={label}
              value={chosen === undefined ? 'default' : chosen ? 'on' : 'off'}
              onChange={(event) => {
                const { value } = event.target;
                change(setNative(choice, id, value === 'default' ? null : value === 'on'));
              }}
              sx={{ minWidth: 150 }}
              slotProps={{
                select: { SelectDisplayProps: { 'aria-label': label } },
                htmlInput: { 'data-testid': `native-${id}` },
              }}
            >
              <MenuItem value="default">
                {usual === undefined ? 'Default' : `Default (${usual ? 'on' : 'off'})`}
              </MenuItem>
              <MenuItem value="on">On</MenuItem>
              <MenuItem value="off">Off</MenuItem>
            </TextField>
          );
        })}
      </Box>
      <Typography sx={{ fontSize: '0.75rem', color: 'text.secondary', mt: 0.75 }}>
        A model that has tools of servers does not get its own.
      </Typography>
    </Box>
  );
}
