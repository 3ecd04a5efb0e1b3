import {
  Box,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
  TableSortLabel,
  Typography,
} from '@mui/material';
import type { ReactNode } from 'react';
import type { SessionItem } from '../../api/sessions';
import { alertTitle } from '../../lib/alert';
import { showBidiControls } from '../../lib/bidi';
import { describeCounts } from '../../lib/claims';
import { firstLine, formatCount, formatExact, shortId } from '../../lib/format';
import { listedStatus } from '../../lib/status';
import { formatDuration } from '../../lib/time';
import { AlertFacts, AlertLinks } from '../../ui/AlertFacts';
import { DegradedBadge } from '../../ui/DegradedBadge';
import { ReviewBadge } from '../../ui/ReviewBadge';
import { Secondary } from '../../ui/Secondary';
import { StatusChip } from '../../ui/StatusChip';
import { RelativeTime } from '../../ui/times';
import { ellipsis } from '../../ui/tokens';
import { RowOutcome } from './bulk/RowOutcome';
import { SelectBox } from './bulk/SelectBox';
import type { Bulk, Outcome } from './bulk/useBulk';
import type { ListParams, Sort } from './params';
import { SeenCount } from './SeenCount';
import { SessionLink } from './SessionLink';

interface Column {
  readonly title: string;
  readonly sort?: Sort;
  readonly from?: 'sm' | 'md' | 'lg';
  readonly right?: boolean;
}

const columns: readonly Column[] = [
  { title: 'Status', sort: 'status' },
  { title: 'Alert', sort: 'alert_type' },
  { title: 'Chain', from: 'lg' },
  { title: 'Author', sort: 'author', from: 'md' },
  { title: 'Created', sort: 'created_at', from: 'sm' },
  { title: 'Duration', sort: 'duration', from: 'sm', right: true },
  { title: 'Calls', from: 'lg', right: true },
  { title: 'Tokens', from: 'md', right: true },
];

interface HistoryTableProps {
  readonly sessions: readonly SessionItem[];
  readonly list: ListParams;
  readonly change: (changes: Partial<ListParams>) => void;
  /** The selection; null for users who may do nothing with it. */
  readonly bulk: Bulk | null;
}

export function HistoryTable({ sessions, list, change, bulk }: HistoryTableProps) {
  return (
    <TableContainer
      role="region"
      aria-label="Session history"
      tabIndex={0}
      sx={{ mx: -2, width: 'auto' }}
    >
      <Table size="small" sx={{ '& td, & th': { px: { xs: 1, sm: 2 } } }}>
        <TableHead>
          <TableRow>
            {bulk && <SelectAll sessions={sessions} bulk={bulk} />}
            {columns.map((column) => (
              <HeaderCell key={column.title} column={column} list={list} change={change} />
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} bulk={bulk} />
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}

function visible({ from }: Column) {
  return from ? { display: { xs: 'none', [from]: 'table-cell' } } : {};
}

interface HeaderCellProps extends Omit<HistoryTableProps, 'sessions' | 'bulk'> {
  readonly column: Column;
}

function HeaderCell({ column, list, change }: HeaderCellProps) {
  const { sort, title, right } = column;
  const active = sort !== undefined && list.sort === sort;
  const align = right ? 'right' : 'left';
  if (sort === undefined) {
    return (
      <TableCell align={align} sx={visible(column)}>
        {title}
      </TableCell>
    );
  }
  return (
    <TableCell align={align} sortDirection={active ? list.order : false} sx={visible(column)}>
      <TableSortLabel
        active={active}
        direction={active ? list.order : 'desc'}
        onClick={() => change({ sort, order: active && list.order === 'desc' ? 'asc' : 'desc' })}
      >
        {title}
      </TableSortLabel>
    </TableCell>
  );
}

interface SelectAllProps {
  readonly sessions: readonly SessionItem[];
  readonly bulk: Bulk;
}

function SelectAll({ sessions, bulk }: SelectAllProps) {
  const ids = sessions.map(({ id }) => id);
  const all = ids.every((id) => bulk.selected.has(id));
  return (
    <TableCell padding="checkbox" sx={{ pl: 2 }}>
      <SelectBox
        label="Select all sessions of this page"
        checked={all}
        mixed={!all && bulk.selected.size > 0}
        disabled={bulk.busy}
        onChange={() => bulk.select(all ? [] : ids)}
      />
    </TableCell>
  );
}

interface SessionRowProps {
  readonly session: SessionItem;
  readonly bulk: Bulk | null;
}

function SessionRow({ session, bulk }: SessionRowProps) {
  const cells: readonly ReactNode[] = [
    <StatusChip key="status" status={listedStatus(session)} />,
    <AlertCell key="alert" session={session} outcome={bulk?.outcomes.get(session.id)} />,
    <Truncated key="chain" text={session.chain_id} />,
    <Truncated key="author" text={session.author ?? '–'} />,
    <RelativeTime key="time" at={session.created_at} updateEveryMs={30_000} />,
    formatDuration(session.duration_ms),
    `${formatExact(session.llm_interaction_count)} LLM · ${formatExact(session.mcp_interaction_count)} tool`,
    formatCount(session.total_tokens),
  ];
  return (
    <TableRow
      hover
      data-testid="session-row"
      data-session-id={session.id}
      sx={{ position: 'relative', '& td': { fontVariantNumeric: 'tabular-nums' } }}
    >
      {bulk && (
        <TableCell padding="checkbox" sx={{ pl: 2 }}>
          <SelectBox
            label={`Select session ${shortId(session.id)}`}
            checked={bulk.selected.has(session.id)}
            disabled={bulk.busy}
            onChange={(range) => bulk.toggle(session.id, range)}
          />
        </TableCell>
      )}
      {columns.map((column, index) => (
        <TableCell
          key={column.title}
          align={column.right ? 'right' : 'left'}
          sx={{ ...visible(column), whiteSpace: column.title === 'Alert' ? 'normal' : 'nowrap' }}
        >
          {cells[index]}
        </TableCell>
      ))}
    </TableRow>
  );
}

/** Text with an ellipsis beyond 200 px; the tooltip has the full text. */
function Truncated({ text }: { readonly text: string }) {
  return (
    <Box title={showBidiControls(text)} sx={{ ...ellipsis, maxWidth: 200 }}>
      <bdi>{showBidiControls(text)}</bdi>
    </Box>
  );
}

/** What is known about the findings of a session: whether they need a second look, reviews, earlier sessions, verified claims. */
function Findings({ session }: { readonly session: SessionItem }) {
  const { claims, degraded, degraded_reasons: reasons, review } = session;
  return (
    <>
      {degraded && <DegradedBadge reasons={reasons} />}
      {review !== null && <ReviewBadge review={review} />}
      <SeenCount session={session} />
      {claims !== null && claims.total > 0 && (
        <Secondary component="span" size="small" sx={{ whiteSpace: 'nowrap' }}>
          {describeCounts(claims)}
        </Secondary>
      )}
    </>
  );
}

interface AlertCellProps {
  readonly session: SessionItem;
  readonly outcome: Outcome | undefined;
}

function AlertCell({ session, outcome }: AlertCellProps) {
  const line = session.executive_summary ?? session.error_message;
  return (
    <Box sx={{ minWidth: 180 }}>
      <SessionLink id={session.id} title={alertTitle(session)} />{' '}
      <Box
        component="span"
        sx={{
          fontFamily: 'var(--tarsy-mono)',
          fontSize: '0.72rem',
          color: 'text.secondary',
          whiteSpace: 'nowrap',
        }}
      >
        {shortId(session.id)}
      </Box>
      <Secondary component="span" size="small" sx={{ display: { sm: 'none' }, ml: 0.75 }}>
        <RelativeTime at={session.created_at} updateEveryMs={30_000} />
      </Secondary>
      <Box
        sx={{
          display: 'flex',
          flexWrap: 'wrap',
          alignItems: 'center',
          columnGap: 0.75,
          rowGap: 0.25,
        }}
      >
        <AlertFacts alert={session} />
        <AlertLinks links={session.links} />
        <Findings session={session} />
      </Box>
      <RowOutcome outcome={outcome} />
      {line && (
        <Typography
          dir="auto"
          sx={{
            color: 'text.secondary',
            fontSize: '0.8125rem',
            display: '-webkit-box',
            WebkitBoxOrient: 'vertical',
            WebkitLineClamp: 2,
            overflow: 'hidden',
          }}
        >
          {firstLine(line, 240)}
        </Typography>
      )}
    </Box>
  );
}
