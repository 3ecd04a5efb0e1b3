import { Box, ButtonBase, TableCell, TableRow } from '@mui/material';
import type { ReactNode } from 'react';
import type { SessionItem } from '../../api/sessions';
import { alertTitle, placeParts, severityTone } from '../../lib/session/alert';
import { showBidiControls } from '../../lib/text/bidi';
import {
  approximate,
  firstLine,
  formatCount,
  formatExact,
  joinParts,
  shortId,
} from '../../lib/text/format';
import { useDensity } from '../../lib/browser/density';
import { whyFailed } from '../../lib/session/failure';
import { scoreTone } from '../../lib/session/score';
import { describeSession, findingLine, listedStatus } from '../../lib/session/status';
import { formatDuration } from '../../lib/time/time';
import { AlertFacts } from '../../ui/findings/AlertFacts';
import { Badge } from '../../ui/badges/Badge';
import { DegradedBadge } from '../../ui/badges/DegradedBadge';
import { RecordedBadge } from '../../ui/badges/RecordedBadge';
import { ReviewBadge } from '../../ui/badges/ReviewBadge';
import { Secondary } from '../../ui/layout/Secondary';
import { StatusIcon } from '../../ui/badges/StatusChip';
import { RelativeTime } from '../../ui/numbers/times';
import { TriageBadge } from '../../ui/badges/TriageBadge';
import { aboveRow, ellipsis } from '../../ui/theme/tokens';
import { RowOutcome } from './bulk/RowOutcome';
import { SelectBox } from './bulk/SelectBox';
import type { Bulk, Outcome } from './bulk/useBulk';
import { columns, columnStyle, selectStyle } from './columns';
import { SeenCount } from './SeenCount';
import { SessionLink } from './SessionLink';

interface SessionRowProps {
  readonly session: SessionItem;
  readonly bulk: Bulk;
  /** Opens and closes the rows of its repeats; nothing without any. */
  readonly toggle?: ReactNode;
  readonly isRepeat?: boolean;
}

export function SessionRow({ session, bulk, toggle, isRepeat = false }: SessionRowProps) {
  const cells: readonly ReactNode[] = [
    <StatusIcon key="status" status={listedStatus(session)} shown={describeSession(session)} />,
    <AlertCell
      key="alert"
      session={session}
      outcome={bulk.outcomes.get(session.id)}
      toggle={toggle}
    />,
    <Severity key="severity" severity={session.severity} />,
    <Place key="service" session={session} />,
    <Truncated key="chain" text={session.chain_id} />,
    <Truncated key="author" text={session.author ?? '–'} />,
    `${formatExact(session.llm_interaction_count)} LLM · ${formatExact(session.mcp_interaction_count)} tool`,
    approximate(formatCount(session.total_tokens), session.tokens_estimated),
    <Score key="score" score={session.score} />,
    formatDuration(session.duration_ms),
    <RelativeTime key="time" at={session.created_at} updateEveryMs={30_000} />,
  ];
  return (
    <TableRow
      hover
      data-testid="session-row"
      data-session-id={session.id}
      sx={{ position: 'relative', ...(isRepeat && { bgcolor: 'action.hover' }) }}
    >
      <TableCell padding="checkbox" sx={selectStyle}>
        <SelectBox
          label={`Select session ${shortId(session.id)}`}
          checked={bulk.selected.has(session.id)}
          disabled={bulk.busy}
          onChange={(range) => bulk.toggle(session.id, range)}
        />
      </TableCell>
      {columns.map((column, index) => (
        <TableCell
          key={column.title}
          align={column.isNumber ? 'right' : 'left'}
          sx={columnStyle(column)}
        >
          {cells[index]}
        </TableCell>
      ))}
    </TableRow>
  );
}

/** Text with an ellipsis; the tooltip has the full text. */
function Truncated({ text }: { readonly text: string }) {
  return (
    <Box title={showBidiControls(text)} sx={ellipsis}>
      <bdi>{showBidiControls(text)}</bdi>
    </Box>
  );
}

function Severity({ severity }: { readonly severity: string | null }) {
  if (severity === null) return '–';
  return (
    <Badge tone={severityTone(severity)} tooltip={severity} testId="row-severity">
      <bdi>{firstLine(showBidiControls(severity), 12)}</bdi>
    </Badge>
  );
}

function Score({ score }: { readonly score: number | null }) {
  if (score === null) return '–';
  return (
    <Badge tone={scoreTone(score)} tooltip="Score of the investigation" testId="score-badge">
      {score}
    </Badge>
  );
}

/** The service; below it, namespace and cluster, if there is room for two lines. */
function Place({ session }: { readonly session: SessionItem }) {
  const density = useDensity();
  const { service, namespace, cluster } = session;
  const [first, ...rest] = placeParts(session);
  if (first === undefined) return '–';
  const where = service === null ? rest : [namespace, cluster].filter((part) => part !== null);
  return (
    <Box data-testid="row-place">
      <Truncated text={first} />
      {rest.length > 0 && density === 'comfortable' && (
        <Secondary size="small" component="div" sx={ellipsis}>
          <bdi title={joinParts(rest)}>{joinParts(where)}</bdi>
        </Secondary>
      )}
    </Box>
  );
}

/** On one line; on a phone on two at most, wherever a word breaks. */
const lineStyle = {
  minWidth: 0,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: { sm: 'nowrap' },
  overflowWrap: 'anywhere',
  display: { xs: '-webkit-box', sm: 'block' },
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: '2',
} as const;

interface AlertCellProps {
  readonly session: SessionItem;
  readonly outcome: Outcome | undefined;
  readonly toggle: ReactNode;
}

function AlertCell({ session, outcome, toggle }: AlertCellProps) {
  const density = useDensity();
  const title = alertTitle(session);
  return (
    <Box sx={density === 'compact' ? oneLine : undefined}>
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          flexWrap: { xs: 'wrap', sm: 'nowrap' },
          columnGap: 0.75,
        }}
      >
        <Box component="span" title={showBidiControls(title)} sx={lineStyle}>
          <SessionLink id={session.id} title={title} />
        </Box>
        <Marks session={session} />
        {toggle}
        <RowOutcome outcome={outcome} />
      </Box>
      <Finding session={session} />
      <Box sx={{ display: { md: 'none' }, overflowWrap: 'anywhere', lineHeight: 1.6 }}>
        <Secondary component="span" size="small" sx={{ display: { sm: 'none' }, mr: 0.75 }}>
          <RelativeTime at={session.created_at} updateEveryMs={30_000} />
        </Secondary>
        <AlertFacts alert={session} />
      </Box>
    </Box>
  );
}

/** Title and cause beside each other; on a phone below each other. The title keeps at least half of the room. */
const oneLine = {
  display: { md: 'flex' },
  alignItems: 'baseline',
  columnGap: 1.5,
  minWidth: 0,
  '& > *': { minWidth: 0 },
  '& > :first-of-type': { flexShrink: 0, maxWidth: { md: '62%' } },
} as const;

/** Whether the finding needs a second look, what a person thinks of it, who works on it, and how often the alert was there before. */
function Marks({ session }: { readonly session: SessionItem }) {
  const { origin, degraded, degraded_reasons: reasons, review, triage, assignee } = session;
  return (
    <Box
      component="span"
      sx={{ display: 'inline-flex', gap: 0.75, flexShrink: 0, alignItems: 'center' }}
    >
      <RecordedBadge origin={origin} />
      {degraded && <DegradedBadge reasons={reasons} />}
      {review !== null && <ReviewBadge review={review} />}
      {triage !== 'new' && <TriageBadge triage={triage} assignee={assignee} />}
      <SeenCount session={session} />
    </Box>
  );
}

/** The cause in one line, or why there is none. */
function Finding({ session }: { readonly session: SessionItem }) {
  const text = lineOf(session);
  if (text === null) return null;
  return (
    <Box
      dir="auto"
      title={text}
      data-testid="finding-line"
      sx={{ ...lineStyle, color: 'text.secondary', fontSize: '0.8125rem' }}
    >
      {firstLine(text, 240)}
    </Box>
  );
}

function lineOf(session: SessionItem): string | null {
  const { finding, executive_summary: summary } = session;
  if (listedStatus(session) === 'waiting_for_approval')
    return 'Waiting for approval of a tool call';
  if (finding !== null && session.status === 'completed') return findingLine(finding);
  if (session.origin === 'recording') return 'Imported record, not investigated';
  const why = whyFailed(session);
  return session.status === 'completed' ? (summary ?? why) : (why ?? summary);
}

interface RepeatsButtonProps {
  readonly count: number;
  readonly open: boolean;
  readonly onToggle: () => void;
}

/** Shows and hides the other sessions of an alert. */
export function RepeatsButton({ count, open, onToggle }: RepeatsButtonProps) {
  return (
    <ButtonBase
      aria-expanded={open}
      aria-label={`${open ? 'Hide' : 'Show'} ${count} more of this alert`}
      onClick={onToggle}
      data-testid="repeats"
      sx={{
        ...aboveRow,
        flexShrink: 0,
        px: 0.875,
        minHeight: 24,
        border: 1,
        borderColor: 'divider',
        borderRadius: 99,
        fontSize: '0.75rem',
        fontWeight: 600,
        color: 'text.secondary',
      }}
    >
      {open ? 'Hide' : `${count} more`}
    </ButtonBase>
  );
}
