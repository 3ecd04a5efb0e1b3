import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { lazy, memo, Suspense, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import type { Trace } from '../../api/trace';
import { formatDuration } from '../../lib/time/time';
import { useNow } from '../../lib/time/useNow';
import { Secondary } from '../../ui/layout/Secondary';
import { ellipsis, visuallyHidden } from '../../ui/theme/tokens';
import { toneText } from '../../ui/badges/tones';
import { textStartsQuery } from './queries';
import {
  lacksFirstTokens,
  readWaterfall,
  type RowKind,
  type Waterfall,
  type WaterfallRow,
} from './waterfall';

const CallPanel = lazy(() => import('./CallPanel'));

const ROW_HEIGHT_PX = 28;
/** Rows that are rendered above and below those in view. */
const OVERSCAN = 12;
const TITLE_WIDTH = 'minmax(150px, 34%)';
const TICKS = [0, 0.25, 0.5, 0.75, 1] as const;

interface WaterfallViewProps {
  /** Session id. */
  readonly session: string;
  readonly trace: Trace;
  /** True while calls may be added. */
  readonly live: boolean;
}

/** The calls of a session as bars over time. Only the rows in view are rendered. */
export function WaterfallView({ session, trace, live }: WaterfallViewProps) {
  const now = useNow(live);
  const enabled = useMemo(() => !live && lacksFirstTokens(trace), [live, trace]);
  const { data: texts } = useQuery({ ...textStartsQuery(session), enabled });
  const waterfall = useMemo(() => readWaterfall(trace, now, texts), [trace, now, texts]);
  const [active, setActive] = useState(0);
  const [opened, setOpened] = useState<string | null>(null);
  const selected = waterfall.rows.find(({ id }) => id === opened) ?? null;
  return (
    <>
      <Secondary sx={{ mb: 1 }}>
        Arrow keys move between the rows, Enter shows the call below. Pale part: time to first
        token.
      </Secondary>
      <Axis waterfall={waterfall} />
      <Rows
        waterfall={waterfall}
        active={Math.min(active, waterfall.rows.length - 1)}
        onActive={setActive}
        onOpen={setOpened}
      />
      {selected && (
        <Suspense fallback={null}>
          <CallPanel key={selected.id} session={session} row={selected} />
        </Suspense>
      )}
    </>
  );
}

function Axis({ waterfall }: { readonly waterfall: Waterfall }) {
  const length = waterfall.end - waterfall.start;
  return (
    <Box
      aria-hidden
      sx={{ display: 'grid', gridTemplateColumns: `${TITLE_WIDTH} 1fr`, gap: 1, pr: 2, mb: 0.5 }}
    >
      <span />
      <Box sx={{ display: 'flex', justifyContent: 'space-between' }}>
        {TICKS.map((part, at) => (
          <Secondary
            key={part}
            component="span"
            size="small"
            // A phone has room for every second one.
            sx={{ display: at % 2 === 0 ? undefined : { xs: 'none', sm: 'inline' } }}
          >
            {part === 0 ? '0' : formatDuration(length * part)}
          </Secondary>
        ))}
      </Box>
    </Box>
  );
}

interface RowsProps {
  readonly waterfall: Waterfall;
  /** Index of the row that the keyboard is at. */
  readonly active: number;
  readonly onActive: (index: number) => void;
  readonly onOpen: (id: string) => void;
}

const gridStyles = {
  position: 'relative',
  maxHeight: '65vh',
  overflow: 'auto',
  border: 1,
  borderColor: 'divider',
  borderRadius: 1,
  '&:focus-visible [data-active="true"]': {
    outline: '2px solid',
    outlineColor: 'primary.main',
    outlineOffset: -2,
  },
} as const;

function Rows({ waterfall, active, onActive, onOpen }: RowsProps) {
  const { rows } = waterfall;
  const scroller = useRef<HTMLDivElement>(null);
  const prefix = useId();
  // oxlint-disable-next-line react/incompatible-library -- its functions are called here and passed to nobody
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: OVERSCAN,
  });

  function onKeyDown(event: KeyboardEvent): void {
    const row = rows[active];
    if (isOpenKey(event.key) && row?.entry) onOpen(row.id);
    const next = target(event.key, active, rows.length);
    if (next === null && !isOpenKey(event.key)) return;
    event.preventDefault();
    if (next === null) return;
    onActive(next);
    virtual.scrollToIndex(next);
  }

  const shown = virtual.getVirtualItems();
  return (
    <Box
      ref={scroller}
      role="listbox"
      aria-label="Calls over time"
      aria-activedescendant={
        shown.some(({ index }) => index === active) ? `${prefix}-${active}` : undefined
      }
      tabIndex={0}
      onKeyDown={onKeyDown}
      data-testid="waterfall"
      sx={gridStyles}
    >
      <Box role="presentation" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start }) => (
          <Row
            key={index}
            id={`${prefix}-${index}`}
            waterfall={waterfall}
            offsetPx={start}
            index={index}
            active={index === active}
            onClick={() => {
              const row = rows[index];
              onActive(index);
              if (row?.entry) onOpen(row.id);
            }}
          />
        ))}
      </Box>
    </Box>
  );
}

const isOpenKey = (key: string) => key === 'Enter' || key === ' ';

/** Rows that Page Up and Page Down move by. */
const PAGE_ROWS = 15;

function target(key: string, active: number, count: number): number | null {
  const last = count - 1;
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + PAGE_ROWS,
    PageUp: active - PAGE_ROWS,
    Home: 0,
    End: last,
  };
  const next = moves[key];
  return next === undefined ? null : Math.max(0, Math.min(last, next));
}

interface RowProps {
  readonly id: string;
  /** In the rows of the waterfall. */
  readonly index: number;
  readonly waterfall: Waterfall;
  readonly offsetPx: number;
  readonly active: boolean;
  readonly onClick: () => void;
}

const rowStyles = {
  position: 'absolute',
  insetInline: 0,
  height: ROW_HEIGHT_PX,
  display: 'grid',
  gridTemplateColumns: `${TITLE_WIDTH} 1fr`,
  gap: 1,
  alignItems: 'center',
  px: 1,
  fontSize: '0.75rem',
  cursor: 'pointer',
  '&:hover': { bgcolor: 'action.hover' },
} as const;

const indents: Record<RowKind, number> = { stage: 0, agent: 1, llm: 2, tool: 3, listing: 3 };

/** Memoized: scrolling renders the rows that come into view. */
const Row = memo(
  function Row({ id, index, waterfall, offsetPx, active, onClick }: RowProps) {
    const row = waterfall.rows[index];
    if (!row) return null;
    const group = row.entry === null;
    return (
      <Box
        id={id}
        role="option"
        aria-selected={active}
        aria-posinset={index + 1}
        aria-setsize={waterfall.rows.length}
        data-active={active}
        data-testid="waterfall-row"
        data-kind={row.kind}
        data-failed={row.failed}
        onClick={onClick}
        sx={rowStyles}
        style={{ transform: `translateY(${offsetPx}px)` }}
      >
        <Box sx={{ ...ellipsis, pl: indents[row.kind], fontWeight: group ? 650 : 400 }}>
          {row.failed && (
            <Box component="strong" sx={{ color: toneText('error') }}>
              {'✕ '}
            </Box>
          )}
          {row.title}
          {row.failed && (
            <Box component="span" sx={visuallyHidden}>
              , failed
            </Box>
          )}
        </Box>
        <Bar row={row} waterfall={waterfall} />
      </Box>
    );
  },
  (before, after) =>
    before.waterfall === after.waterfall &&
    before.offsetPx === after.offsetPx &&
    before.active === after.active,
);

const colors: Record<RowKind, string> = {
  stage: 'var(--tarsy-neutral-fg)',
  agent: 'var(--tarsy-neutral-fg)',
  llm: 'var(--tarsy-info-fg)',
  tool: 'var(--tarsy-success-fg)',
  listing: 'var(--tarsy-neutral-fg)',
};

interface BarProps {
  readonly row: WaterfallRow;
  readonly waterfall: Waterfall;
}

/** Pale until the first token. */
function barColor({ start, end, firstToken, failed, kind }: WaterfallRow): string {
  const color = failed ? toneText('error') : colors[kind];
  if (firstToken === null || start === null || end === null || end <= start) return color;
  const wait = Math.min(100, ((firstToken - start) / (end - start)) * 100).toFixed(2);
  const pale = `color-mix(in srgb, ${color} 45%, transparent)`;
  return `linear-gradient(to right, ${pale} ${wait}%, ${color} ${wait}%)`;
}

/** The facts stand behind the bar, before it where it ends near the edge, or on it where it fills the row. */
function Bar({ row, waterfall }: BarProps) {
  const { start, end } = row;
  const facts = row.facts.join(' · ');
  if (start === null || end === null) return <Secondary size="small">{facts}</Secondary>;
  const length = waterfall.end - waterfall.start;
  const left = ((start - waterfall.start) / length) * 100;
  const width = ((end - start) / length) * 100;
  return (
    <Box sx={{ position: 'relative', height: '100%', overflow: 'hidden' }}>
      <Box
        aria-hidden
        sx={{ position: 'absolute', top: 8, height: 12, minWidth: 2, borderRadius: 0.5 }}
        style={{
          left: `${left}%`,
          width: `${width}%`,
          background: barColor(row),
          opacity: row.entry === null ? 0.35 : 0.85,
        }}
      />
      <Box
        component="span"
        sx={{ ...ellipsis, position: 'absolute', top: 4, px: 0.75, borderRadius: 0.5 }}
        title={facts}
        style={factsPlace(left, width)}
      >
        {facts}
      </Box>
    </Box>
  );
}

/** All in percent of the row. */
function factsPlace(left: number, width: number) {
  const end = left + width;
  if (end <= 60) return { left: `${end}%`, maxWidth: `${100 - end}%` };
  if (left >= 25) return { right: `${100 - left}%`, maxWidth: `${left}%` };
  const background = 'var(--mui-palette-background-paper)';
  return { left: `${left + 1}%`, maxWidth: `${99 - left}%`, background };
}
