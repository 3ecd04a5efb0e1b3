import { Box, Button, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { listActive, type SessionDetail } from '../../api/sessions';
import type { Progress } from '../../live/reduce';
import { agentName } from '../../lib/session/agents';
import { humanize } from '../../lib/text/format';
import { showBidiControls } from '../../lib/text/bidi';
import { describeFinding } from '../../lib/session/verdict';
import { describeStatus, isTerminal } from '../../lib/session/status';
import { ellipsis } from '../../ui/theme/tokens';
import { toneText } from '../../ui/badges/tones';

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
  /** Shows the findings of a session that has ended, while they are held back. */
  readonly onReveal: (() => void) | null;
}

/** The current activity of the running agents, as an ARIA live region. */
export function LiveStatus({ session, progress, onReveal }: LiveStatusProps) {
  const position = useQueuePosition(session);
  const lines = isTerminal(session.status) ? [] : liveLines(session, progress, position);
  return (
    <Box
      role="status"
      aria-live="polite"
      data-testid="live-status"
      sx={lines.length > 0 || onReveal ? stickyBelowAppBar : {}}
    >
      {onReveal && <Ended session={session} onReveal={onReveal} />}
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

interface EndedProps {
  readonly session: SessionDetail;
  readonly onReveal: () => void;
}

/** That the session has ended, with the cause that was found, on one line: as high as the line of one agent. */
function Ended({ session, onReveal }: EndedProps) {
  const { status, verdict, final_analysis: analysis } = session;
  // They are read when the end is known.
  const isLoaded = status !== 'completed' || analysis !== null;
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }} data-testid="held-end">
      <Typography sx={{ ...ellipsis, fontSize: '0.875rem', minWidth: 0 }}>
        Investigation {describeStatus(status).label.toLowerCase()}.
        {verdict && <bdi>{` ${showBidiControls(describeFinding(verdict))}`}</bdi>}
      </Typography>
      <Button
        size="small"
        variant="outlined"
        disabled={!isLoaded}
        onClick={onReveal}
        data-testid="reveal-findings"
        sx={{ flexShrink: 0, py: 0, my: '-4px', minHeight: 28 }}
      >
        {isLoaded && analysis === null ? 'Show details' : 'Show findings'}
      </Button>
    </Box>
  );
}

/** How often the position of a queued session is read: nothing reports that others have left the queue. */
const QUEUE_POLL_MS = 5000;

/** Its place in the queue, from 1; null while it is unknown, and once it has started. */
function useQueuePosition({ id, status }: SessionDetail): number | null {
  const queued = status === 'pending';
  const { data } = useQuery({
    queryKey: keys.active,
    queryFn: ({ signal }) => listActive(signal),
    enabled: queued,
    refetchInterval: QUEUE_POLL_MS,
  });
  return (queued && data?.queued.find((item) => item.id === id)?.queue_position) || null;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function liveLines(
  session: SessionDetail,
  progress: Readonly<Record<string, Progress>>,
  position: number | null,
): readonly string[] {
  if (session.status === 'pending') {
    const place = position === null ? '' : ` at position ${position}`;
    return [`Queued${place}, waiting for a worker.`];
  }
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
