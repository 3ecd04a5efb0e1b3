import { Box, Button, Paper, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useMay } from '../../api/access';
import type { ActiveItem, ActiveSessions as ActiveLists } from '../../api/sessions';
import { useFallbackInterval } from '../../live/LiveProvider';
import type { SessionProgress } from '../../live/listFeed';
import { alertTitle } from '../../lib/session/alert';
import { useDensity, type Density } from '../../lib/browser/density';
import { shortId } from '../../lib/text/format';
import { listedStatus } from '../../lib/session/status';
import { AlertFacts } from '../../ui/findings/AlertFacts';
import { LoadState } from '../../ui/notices/LoadState';
import { Secondary } from '../../ui/layout/Secondary';
import { StatusIcon } from '../../ui/badges/StatusChip';
import { Elapsed, RelativeTime } from '../../ui/numbers/times';
import { plainList } from '../../ui/theme/tokens';
import { RowOutcome } from './bulk/RowOutcome';
import { SelectBox } from './bulk/SelectBox';
import { isSelecting, useBulk, type Outcome } from './bulk/useBulk';
import { activeQuery, progressQuery } from './queries';
import { SeenCount } from './SeenCount';
import { SessionLink } from './SessionLink';

const BulkBar = lazy(() => import('./bulk/BulkBar'));

const onlyCancel = { cancel: true, rerun: false, review: false, triage: false, compare: false };

/** Sessions shown until the list is expanded. */
const PREVIEW = 5;

/** The running and queued sessions; a line when there are none. */
export function ActiveSessions() {
  const refetchInterval = useFallbackInterval(5000);
  const query = useQuery({ ...activeQuery, refetchInterval });
  const { data } = query;
  const isEmpty = data !== undefined && data.active.length + data.queued.length === 0;
  return (
    <Paper
      component="section"
      aria-label="Running sessions"
      variant="outlined"
      data-testid="active-panel"
      sx={isEmpty ? emptyStyle : { px: 2, pt: 1, pb: 0.5 }}
    >
      {!isEmpty && (
        <Typography component="h2" variant="h3">
          {panelTitle(data)}
        </Typography>
      )}
      <LoadState query={query} noun="running sessions" heightPx={44} />
      {data && <ActiveList lists={data} />}
    </Paper>
  );
}

const emptyStyle = { border: 0, bgcolor: 'transparent' } as const;

function panelTitle(lists: ActiveLists | undefined): string {
  if (lists === undefined) return 'Running';
  const { active, queued } = lists;
  return queued.length > 0
    ? `Running (${active.length}) and queued (${queued.length})`
    : `Running (${active.length})`;
}

/** Those that wait for a person first. */
function inOrder({ active, queued }: ActiveLists): readonly ActiveItem[] {
  const waits = (item: ActiveItem) => listedStatus(item) === 'waiting_for_approval';
  return [...active.filter(waits), ...active.filter((item) => !waits(item)), ...queued];
}

function ActiveList({ lists }: { readonly lists: ActiveLists }) {
  const { data: progress } = useQuery(progressQuery);
  const [expanded, setExpanded] = useState(false);
  const mayCancel = useMay('cancel_session');
  const all = inOrder(lists);
  const hidden = all.length > PREVIEW ? all.length - PREVIEW : 0;
  const items = expanded ? all : all.slice(0, PREVIEW);
  const bulk = useBulk(items.map(({ id }) => id));
  return (
    <>
      {mayCancel && isSelecting(bulk) && (
        <Suspense fallback={null}>
          <BulkBar bulk={bulk} offers={onlyCancel} />
        </Suspense>
      )}
      {items.length === 0 && (
        <Secondary>No running sessions. New alerts appear here immediately.</Secondary>
      )}
      <Box component="ul" sx={plainList}>
        {items.map((item) => (
          <ActiveRow
            key={item.id}
            item={item}
            progress={progress[item.id]}
            outcome={bulk.outcomes.get(item.id)}
            selection={
              mayCancel && (
                <SelectBox
                  label={`Select session ${shortId(item.id)}`}
                  checked={bulk.selected.has(item.id)}
                  disabled={bulk.busy}
                  onChange={(range) => bulk.toggle(item.id, range)}
                />
              )
            }
          />
        ))}
      </Box>
      {hidden > 0 && (
        <Button
          size="small"
          aria-expanded={expanded}
          onClick={() => setExpanded(!expanded)}
          data-testid="queue-toggle"
        >
          {expanded ? 'Show less' : `Show ${hidden} more`}
        </Button>
      )}
    </>
  );
}

interface ActiveRowProps {
  readonly item: ActiveItem;
  readonly progress: SessionProgress | undefined;
  readonly outcome: Outcome | undefined;
  /** The box that selects it. */
  readonly selection: ReactNode;
}

const rowStyles = (density: Density) => ({
  display: 'flex',
  alignItems: 'center',
  columnGap: 1.5,
  minHeight: density === 'compact' ? 32 : 48,
  py: density === 'compact' ? 0.25 : 0.5,
  px: 2,
  mx: -2,
  lineHeight: 1.4,
  position: 'relative',
  '&:hover': { bgcolor: 'action.hover' },
  '& + &': { borderTop: 1, borderColor: 'divider' },
});

function ActiveRow({ item, progress, outcome, selection }: ActiveRowProps) {
  const density = useDensity();
  return (
    <Box
      component="li"
      data-testid="active-session"
      data-session-id={item.id}
      sx={rowStyles(density)}
    >
      {selection}
      <StatusIcon status={listedStatus(item)} />
      <Box sx={density === 'compact' ? oneLine : { flexGrow: 1, minWidth: 0 }}>
        <Box sx={factStyles}>
          <SessionLink id={item.id} title={alertTitle(item)} />
          <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
            <AlertFacts alert={item} />
          </Box>
          <SeenCount session={item} />
          <RowOutcome outcome={outcome} />
        </Box>
        <Typography noWrap sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
          {describeActivity(item, progress)}
        </Typography>
      </Box>
      <Secondary sx={wideOnly}>{item.author ?? 'unknown author'}</Secondary>
      <Typography
        component="div"
        sx={{
          minWidth: { sm: 80 },
          whiteSpace: 'nowrap',
          textAlign: 'right',
          fontVariantNumeric: 'tabular-nums',
          fontWeight: 600,
        }}
      >
        {item.started_at === null ? (
          <RelativeTime at={item.created_at} />
        ) : (
          <Elapsed from={item.started_at} />
        )}
      </Typography>
    </Box>
  );
}

/** In one line; on a phone with the next one where there is no room. */
const factStyles = {
  display: 'flex',
  flexWrap: { xs: 'wrap', lg: 'nowrap' },
  alignItems: 'center',
  columnGap: 0.75,
  overflowWrap: 'anywhere',
  overflow: 'hidden',
} as const;

/** What is done now beside the title; on a phone below it. */
const oneLine = {
  flexGrow: 1,
  minWidth: 0,
  display: { sm: 'flex' },
  alignItems: 'baseline',
  columnGap: 1.5,
  '& > *': { minWidth: 0 },
} as const;

const wideOnly = { display: { xs: 'none', md: 'block' } } as const;

function describeActivity(item: ActiveItem, progress: SessionProgress | undefined): string {
  if (listedStatus(item) === 'waiting_for_approval') return 'Waiting for approval of a tool call';
  if (item.queue_position !== null) return `Queue position ${item.queue_position}`;
  if (!progress) return 'Investigating';
  const { stageName, text } = progress;
  if (text === '') return stageName;
  return text.startsWith(stageName) ? text : `${stageName}: ${text}`;
}
