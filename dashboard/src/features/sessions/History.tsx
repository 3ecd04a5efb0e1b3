import { Box, Button, LinearProgress, Pagination, Skeleton } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Link as RouterLink } from 'react-router';
import { asApiError } from '../../api/errors';
import { useFallbackInterval } from '../../live/LiveProvider';
import { plural } from '../../lib/format';
import { pages } from '../../lib/paths';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { InboxIcon, PlusIcon, SearchIcon } from '../../ui/icons';
import { Panel } from '../../ui/Panel';
import { Filters } from './Filters';
import { HistoryTable } from './HistoryTable';
import { isFiltered, noFilter, toQuery, type ListParams } from './params';
import { historyQuery } from './queries';
import { useListParams } from './useListParams';

/** All sessions that ended, newest first unless asked otherwise. */
export function History() {
  const { list, change } = useListParams();
  const refetchInterval = useFallbackInterval(10_000);
  const query = useQuery({ ...historyQuery(toQuery(list)), refetchInterval });
  const { data, error, isPending, isPlaceholderData, refetch } = query;
  const total = data?.pagination.total_items;
  return (
    <Panel
      title={total === undefined ? 'History' : `History (${plural(total, 'session')})`}
      testId="history-panel"
    >
      <Filters list={list} change={change} />
      {isPlaceholderData && <LinearProgress aria-label="Loading" sx={{ mb: -0.5 }} />}
      {isPending && <TableSkeleton />}
      {error && (
        <ErrorState
          title="The history could not be loaded"
          message={asApiError(error).message}
          onRetry={() => void refetch()}
        />
      )}
      {data && data.sessions.length === 0 && <Nothing list={list} change={change} />}
      {data && data.sessions.length > 0 && (
        <HistoryTable sessions={data.sessions} list={list} change={change} />
      )}
      {data && data.pagination.total_pages > 1 && (
        <Box sx={{ display: 'flex', justifyContent: 'center', pt: 2 }}>
          <Pagination
            count={data.pagination.total_pages}
            page={list.page}
            onChange={(_event, page) => change({ page })}
          />
        </Box>
      )}
    </Panel>
  );
}

interface NothingProps {
  readonly list: ListParams;
  readonly change: (changes: Partial<ListParams>) => void;
}

function Nothing({ list, change }: NothingProps) {
  if (list.page > 1) {
    return (
      <EmptyState
        icon={<SearchIcon />}
        title="There is no such page"
        testId="empty-page"
        action={<Button onClick={() => change({ page: 1 })}>To the first page</Button>}
      >
        The list has become shorter, or the address is out of date.
      </EmptyState>
    );
  }
  if (isFiltered(list)) {
    return (
      <EmptyState
        icon={<SearchIcon />}
        title="No session matches"
        testId="empty-search"
        action={<Button onClick={() => change(noFilter)}>Show all sessions</Button>}
      >
        Try other words, another status or other days.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<InboxIcon />}
      title="No investigations yet"
      testId="empty-list"
      action={
        <Button
          component={RouterLink}
          to={pages.submit}
          variant="contained"
          startIcon={<PlusIcon />}
        >
          Submit an alert
        </Button>
      }
    >
      Send TARSy an alert, or start with one of the examples: agents investigate it with their
      tools, and you watch every step.
    </EmptyState>
  );
}

function TableSkeleton() {
  return (
    <Box role="status" aria-label="Loading the history" data-testid="history-skeleton">
      {[0, 1, 2, 3, 4].map((row) => (
        <Skeleton key={row} height={48} />
      ))}
    </Box>
  );
}
