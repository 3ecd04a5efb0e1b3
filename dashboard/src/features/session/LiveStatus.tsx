import { Box, Typography } from '@mui/material';
import type { SessionDetail } from '../../api/sessions';
import type { Progress } from '../../live/reduce';
import { agentName } from '../../lib/agents';
import { humanize } from '../../lib/format';
import { isTerminal } from '../../lib/status';
import { toneText } from '../../ui/tones';

/** Limit for the sticky block, which must leave space on small screens. */
const MAX_LINES = 3;

const stickyBelowAppBar = {
  position: 'sticky',
  top: 'var(--tarsy-app-bar-height)',
  zIndex: 2,
  bgcolor: 'background.default',
  py: 1,
  mb: 1,
} as const;

interface LiveStatusProps {
  readonly session: SessionDetail;
  readonly progress: Readonly<Record<string, Progress>>;
}

/** The current activity of the running agents, as an ARIA live region. */
export function LiveStatus({ session, progress }: LiveStatusProps) {
  const lines = isTerminal(session.status) ? [] : liveLines(session, progress);
  return (
    <Box
      role="status"
      aria-live="polite"
      data-testid="live-status"
      sx={lines.length > 0 ? stickyBelowAppBar : {}}
    >
      {lines.map((line) => (
        <Box key={line} sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
          <Box
            component="span"
            aria-hidden
            sx={{
              width: 8,
              height: 8,
              flexShrink: 0,
              borderRadius: '50%',
              bgcolor: toneText('info'),
              animation: 'tarsy-pulse 1.6s ease-in-out infinite',
            }}
          />
          <Typography sx={{ fontSize: '0.875rem' }}>{line}</Typography>
        </Box>
      ))}
    </Box>
  );
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function liveLines(
  session: SessionDetail,
  progress: Readonly<Record<string, Progress>>,
): readonly string[] {
  if (session.status === 'pending') return ['Queued, waiting for a worker.'];
  if (session.status === 'cancelling') return ['Stopping agents and tool calls.'];
  const agents = new Map(
    session.stages.flatMap((stage) =>
      stage.executions.map((execution): [string, string] => [
        execution.execution_id,
        agentName(execution, stage.executions),
      ]),
    ),
  );
  const lines = Object.entries(progress).map(([id, { phase, message }]) => {
    const activity = message === '' ? humanize(phase) : message;
    const agent = agents.get(id);
    return agent === undefined ? capitalize(activity) : `${agent}: ${activity}`;
  });
  const distinct = [...new Set(lines)];
  if (distinct.length === 0) return ['Running.'];
  if (distinct.length <= MAX_LINES + 1) return distinct;
  const rest = distinct.length - MAX_LINES;
  return [...distinct.slice(0, MAX_LINES), `… and ${rest} more agents are running.`];
}
