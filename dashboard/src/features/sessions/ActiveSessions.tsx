import { Box, Button, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useMay } from '../../api/access';
import type { ActiveItem, ActiveSessions as ActiveLists } from '../../api/sessions';
import { useFallbackInterval } from '../../live/LiveProvider';
import type { SessionProgress } from '../../live/listFeed';
import { alertTitle } from '../../lib/alert';
import { shortId } from '../../lib/format';
import { listedStatus } from '../../lib/status';
import { AlertFacts, AlertLinks } from '../../ui/AlertFacts';
import { LoadState } from '../../ui/LoadState';
import { Panel } from '../../ui/Panel';
import { Secondary } from '../../ui/Secondary';
import { StatusChip } from '../../ui/StatusChip';
import { Elapsed, RelativeTime } from '../../ui/times';
import { plainList } from '../../ui/tokens';
import { RowOutcome } from './bulk/RowOutcome';
import { SelectBox } from './bulk/SelectBox';
import { isSelecting, useBulk, type Outcome } from './bulk/useBulk';
import { activeQuery, progressQuery } from './queries';
import { SeenCount } from './SeenCount';
import { SessionLink } from './SessionLink';

const BulkBar = lazy(() => import('./bulk/BulkBar'));

const onlyCancel = { cancel: true, rerun: false, review: false };

/** Queued sessions shown until the list is expanded. */
const QUEUE_PREVIEW = 10;

/** The running and queued sessions. */
export function ActiveSessions() {
  const refetchInterval = useFallbackInterval(5000);
  const query = useQuery({ ...activeQuery, refetchInterval });
  return (
    <Panel title={panelTitle(query.data)} testId="active-panel">
      <LoadState query={query} noun="running sessions" heightPx={44} />
      {query.data && <ActiveList lists={query.data} />}
    </Panel>
  );
}

function panelTitle(lists: ActiveLists | undefined): string {
  if (lists === undefined) return 'Running';
  const { active, queued } = lists;
  return queued.length > 0
    ? `Running (${active.length}) and queued (${queued.length})`
    : `Running (${active.length})`;
}

function ActiveList({ lists }: { readonly lists: ActiveLists }) {
  const { data: progress } = useQuery(progressQuery);
  const [expanded, setExpanded] = useState(false);
  const mayCancel = useMay('cancel_session');
  const { active, queued } = lists;
  const hidden = queued.length > QUEUE_PREVIEW + 1 ? queued.length - QUEUE_PREVIEW : 0;
  const shown = expanded || hidden === 0 ? queued : queued.slice(0, QUEUE_PREVIEW);
  const items = [...active, ...shown];
  const bulk = useBulk(items.map(({ id }) => id));
  return (
    <>
      {mayCancel && isSelecting(bulk) && (
        <Suspense fallback={null}>
          <BulkBar bulk={bulk} offers={onlyCancel} />
        </Suspense>
      )}
      {items.length === 0 && (
        <Typography sx={{ color: 'text.secondary' }}>
          No running sessions. New alerts appear here immediately.
        </Typography>
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
          {expanded ? 'Show less' : `Show ${hidden} more queued`}
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

const rowStyles = {
  display: 'flex',
  alignItems: 'center',
  flexWrap: 'wrap',
  columnGap: 2,
  rowGap: 0.25,
  py: 1,
  px: 1,
  mx: -1,
  borderRadius: 1,
  position: 'relative',
  '&:hover': { bgcolor: 'action.hover' },
  '& + &': { borderTop: 1, borderColor: 'divider' },
} as const;

function ActiveRow({ item, progress, outcome, selection }: ActiveRowProps) {
  return (
    <Box component="li" data-testid="active-session" data-session-id={item.id} sx={rowStyles}>
      {selection}
      <Box sx={{ minWidth: 108 }}>
        <StatusChip status={listedStatus(item)} />
      </Box>
      <Box sx={{ flexGrow: 1, minWidth: 200, flexBasis: 0 }}>
        <SessionLink id={item.id} title={alertTitle(item)} />
        <Box sx={factStyles}>
          <AlertFacts alert={item} />
          <AlertLinks links={item.links} />
          <SeenCount session={item} />
        </Box>
        <RowOutcome outcome={outcome} />
        <Typography noWrap sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
          {describeActivity(item, progress)}
        </Typography>
      </Box>
      <Secondary sx={wideOnly}>{item.chain_id}</Secondary>
      <Secondary sx={wideOnly}>{item.author ?? 'unknown author'}</Secondary>
      <Typography
        component="div"
        sx={{
          minWidth: 80,
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

/** In one line, with the next one where there is no room. */
const factStyles = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 0.75,
  overflowWrap: 'anywhere',
} as const;

const wideOnly = { display: { xs: 'none', md: 'block' } } as const;

function describeActivity(item: ActiveItem, progress: SessionProgress | undefined): string {
  if (item.queue_position !== null) return `Queue position ${item.queue_position}`;
  if (!progress) return `Session ${shortId(item.id)}`;
  const { stageName, text } = progress;
  if (text === '') return stageName;
  return text.startsWith(stageName) ? text : `${stageName}: ${text}`;
}
