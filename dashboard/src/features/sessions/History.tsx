import { Box, Button, Paper, Skeleton, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useId, type ReactNode } from 'react';
import { useMay } from '../../api/access';
import type { SessionItem } from '../../api/sessions';
import { useFallbackInterval } from '../../live/LiveProvider';
import { plural } from '../../lib/text/format';
import { EmptyState } from '../../ui/notices/EmptyState';
import { ErrorState } from '../../ui/notices/ErrorState';
import { InboxIcon, SearchIcon } from '../../ui/theme/icons';
import { LoadingBar } from '../../ui/notices/LoadingBar';
import { isSelecting, useBulk } from './bulk/useBulk';
import { isFiltered, noFilter, toQuery, writeParams, type ListParams } from './params';
import { historyQuery } from './queries';
import { useListParams } from './useListParams';

const Filters = lazy(async () => ({ default: (await import('./historyParts')).Filters }));
const HistoryTable = lazy(async () => ({
  default: (await import('./historyParts')).HistoryTable,
}));
const BulkBar = lazy(() => import('./bulk/BulkBar'));
const Pages = lazy(() => import('./Pages'));

interface HistoryProps {
  /** Offered while there are no sessions. */
  readonly firstSteps: ReactNode;
}

/** Finished sessions, newest first by default. */
export function History({ firstSteps }: HistoryProps) {
  const { list, change } = useListParams();
  const heading = useId();
  const refetchInterval = useFallbackInterval(10_000);
  const query = useQuery({ ...historyQuery(toQuery(list)), refetchInterval });
  const { data, error, isPending, isPlaceholderData, refetch } = query;
  const total = data?.pagination.total_items;
  const pageCount = data?.pagination.total_pages ?? 0;
  return (
    <Paper
      component="section"
      variant="outlined"
      aria-labelledby={heading}
      data-testid="history-panel"
      sx={{ px: 2, pb: 1, pt: 1, overflow: 'hidden' }}
    >
      <Box sx={headStyle}>
        <Typography id={heading} component="h2" variant="h3" sx={{ lineHeight: '40px' }}>
          {total === undefined ? 'History' : `History (${plural(total, 'session')})`}
        </Typography>
        <Suspense fallback={<Skeleton variant="rounded" sx={filtersToCome} />}>
          <Filters list={list} found={data?.sessions ?? []} change={change} />
        </Suspense>
      </Box>
      {isPlaceholderData && <LoadingBar />}
      {isPending && <TableSkeleton />}
      {error && (
        <ErrorState title="Could not load history" error={error} onRetry={() => void refetch()} />
      )}
      {data && data.sessions.length === 0 && (
        <EmptyHistory list={list} change={change} firstSteps={firstSteps} />
      )}
      {data && data.sessions.length > 0 && (
        <Rows sessions={data.sessions} list={list} change={change} />
      )}
      {pageCount > 1 && (
        <Suspense fallback={null}>
          <Pages count={pageCount} page={list.page} onChange={(page) => change({ page })} />
        </Suspense>
      )}
    </Paper>
  );
}

const headStyle = {
  display: 'flex',
  flexWrap: { xs: 'wrap', md: 'nowrap' },
  alignItems: 'flex-start',
  columnGap: 2,
  mb: 0.5,
} as const;

/** As large as the filters: on a phone they take three rows below the heading. */
const filtersToCome = {
  flexGrow: 1,
  flexBasis: { xs: '100%', md: 'auto' },
  height: { xs: 137, md: 40 },
} as const;

interface RowsProps {
  readonly sessions: readonly SessionItem[];
  readonly list: ListParams;
  readonly change: (changes: Partial<ListParams>) => void;
}

/** The table and the actions on its selected rows. The selection ends when other rows are listed. */
function Rows({ sessions, list, change }: RowsProps) {
  const listed = sessions.map(({ id }) => id);
  const bulk = useBulk(listed, writeParams(list).toString());
  const offers = {
    cancel: false,
    rerun: useMay('submit_alert'),
    review: useMay('review_session'),
    triage: useMay('triage_session'),
    compare: true,
  };
  return (
    <>
      {isSelecting(bulk) && (
        <Suspense fallback={null}>
          <BulkBar bulk={bulk} offers={offers} />
        </Suspense>
      )}
      <Suspense fallback={<TableSkeleton />}>
        <HistoryTable sessions={sessions} list={list} change={change} bulk={bulk} />
      </Suspense>
    </>
  );
}

interface EmptyHistoryProps extends HistoryProps {
  readonly list: ListParams;
  readonly change: (changes: Partial<ListParams>) => void;
}

function EmptyHistory({ list, change, firstSteps }: EmptyHistoryProps) {
  if (list.page > 1) return <NoSuchPage onFirstPage={() => change({ page: 1 })} />;
  if (isFiltered(list)) return <NoMatch onClear={() => change(noFilter)} />;
  return (
    <EmptyState
      icon={<InboxIcon />}
      title="No sessions yet"
      testId="empty-list"
      action={firstSteps}
    >
      Watch how a recorded incident is investigated, or submit an alert: examples examine this
      machine. Every step is shown live.
    </EmptyState>
  );
}

function NoSuchPage({ onFirstPage }: { readonly onFirstPage: () => void }) {
  return (
    <EmptyState
      icon={<SearchIcon />}
      title="Page not found"
      testId="empty-page"
      action={<Button onClick={onFirstPage}>Go to first page</Button>}
    >
      The list is shorter now, or the URL is out of date.
    </EmptyState>
  );
}

function NoMatch({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      icon={<SearchIcon />}
      title="No matching sessions"
      testId="empty-search"
      action={<Button onClick={onClear}>Show all sessions</Button>}
    >
      Try another search, status or date range.
    </EmptyState>
  );
}

function TableSkeleton() {
  return (
    <Box role="status" aria-label="Loading history" data-testid="history-skeleton">
      {[0, 1, 2, 3, 4].map((row) => (
        <Skeleton key={row} height={48} />
      ))}
    </Box>
  );
}
