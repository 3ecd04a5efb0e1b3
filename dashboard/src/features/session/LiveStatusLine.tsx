import { Box, Typography } from '@mui/material';
import type { SessionDetail } from '../../api/sessions';
import type { Progress } from '../../live/reduce';
import { agentName } from '../../lib/agents';
import { humanize } from '../../lib/format';
import { isTerminal } from '../../lib/status';
import { toneText } from '../../ui/tones';

/** The line stays in view; it must not fill a small window. */
const MOST_LINES = 3;

/** Stays in view below the navigation while the timeline is followed. */
const stays = {
  position: 'sticky',
  top: 'var(--tarsy-bar)',
  zIndex: 2,
  bgcolor: 'background.default',
  py: 1,
  mb: 1,
} as const;

interface LiveStatusLineProps {
  readonly session: SessionDetail;
  readonly progress: Readonly<Record<string, Progress>>;
}

/** What is being done at this moment, told politely to screen readers too. */
export function LiveStatusLine({ session, progress }: LiveStatusLineProps) {
  const lines = isTerminal(session.status) ? [] : liveLines(session, progress);
  return (
    <Box
      role="status"
      aria-live="polite"
      data-testid="live-status"
      sx={lines.length > 0 ? stays : {}}
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

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function liveLines(
  session: SessionDetail,
  progress: Readonly<Record<string, Progress>>,
): readonly string[] {
  if (session.status === 'pending') return ['Waiting in the queue for a free worker.'];
  if (session.status === 'cancelling') return ['Stopping agents and tool calls.'];
  const agents = new Map(
    session.stages.flatMap((stage) =>
      stage.executions.map((one): [string, string] => [
        one.execution_id,
        agentName(one, stage.executions),
      ]),
    ),
  );
  const lines = Object.entries(progress).map(([id, { phase, message }]) => {
    const words = message === '' ? humanize(phase) : message;
    const agent = agents.get(id);
    return agent === undefined ? capital(words) : `${agent}: ${words}`;
  });
  const different = [...new Set(lines)];
  if (different.length === 0) return ['Working.'];
  if (different.length <= MOST_LINES + 1) return different;
  const rest = different.length - MOST_LINES;
  return [...different.slice(0, MOST_LINES), `… and ${rest} more agents work.`];
}
