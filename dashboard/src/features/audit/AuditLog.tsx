import { Box, Button, Skeleton } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useTimeZone } from '../../lib/time/timeZone';
import { EmptyState } from '../../ui/notices/EmptyState';
import { LoadingBar } from '../../ui/notices/LoadingBar';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { ListIcon, SearchIcon } from '../../ui/theme/icons';
import { AuditTable } from './AuditTable';
import { isFiltered, lastOf, noFilter, readParams, toQuery, writeParams } from './params';
import type { AuditParams } from './params';
import { auditQuery } from './queries';

const Filters = lazy(async () => ({ default: (await import('./Filters')).Filters }));

const noActions: readonly string[] = [];

/** The entries that match the filters, the newest first. */
export function AuditLog() {
  const { list, change } = useAuditParams();
  const query = useQuery(auditQuery(toQuery(list, useTimeZone())));
  const { data, isFetching, isPlaceholderData, refetch } = query;
  const entries = data?.entries ?? [];
  return (
    <Panel
      title="Entries"
      testId="audit-log"
      actions={
        <Button size="small" onClick={() => void refetch()} disabled={isFetching}>
          Refresh
        </Button>
      }
    >
      <Suspense fallback={<Skeleton variant="rounded" height={240} />}>
        <Filters
          list={list}
          entries={entries}
          actions={data?.actions ?? noActions}
          change={change}
        />
        {isPlaceholderData && <LoadingBar />}
        <LoadState query={query} noun="the audit log" heightPx={240} />
        {data && entries.length === 0 && <NoEntries list={list} change={change} />}
        {entries.length > 0 && <AuditTable entries={entries} change={change} />}
        <Pages list={list} last={lastOf(entries)} change={change} />
      </Suspense>
    </Panel>
  );
}

/** The parameters in the URL. A change of a filter goes back to the newest entries. */
function useAuditParams() {
  const [search, setSearch] = useSearchParams();
  const list = useMemo(() => readParams(search), [search]);
  const change = useCallback(
    (changes: Partial<AuditParams>) =>
      setSearch((current) => writeParams({ ...readParams(current), before: '', ...changes })),
    [setSearch],
  );
  return { list, change };
}

interface PartProps {
  readonly list: AuditParams;
  readonly change: (changes: Partial<AuditParams>) => void;
}

function NoEntries({ list, change }: PartProps) {
  if (list.before !== '') {
    return (
      <EmptyState icon={<SearchIcon />} title="No older entries" testId="no-older-entries">
        Entries are deleted after the configured retention.
      </EmptyState>
    );
  }
  if (isFiltered(list)) {
    return (
      <EmptyState
        icon={<SearchIcon />}
        title="No matching entries"
        testId="no-matching-entries"
        action={<Button onClick={() => change(noFilter)}>Show all entries</Button>}
      >
        Names must match exactly.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<ListIcon />} title="No entries yet" testId="no-entries">
      Changes, denied requests and reads of traces appear here.
    </EmptyState>
  );
}

function Pages({ list, last, change }: PartProps & { readonly last: string | null }) {
  if (list.before === '' && last === null) return null;
  return (
    <Box
      component="nav"
      aria-label="Pages of the audit log"
      sx={{ display: 'flex', justifyContent: 'center', gap: 1, pt: 2 }}
    >
      <Button disabled={list.before === ''} onClick={() => change({ before: '' })}>
        Newest
      </Button>
      <Button
        disabled={last === null}
        onClick={() => change({ before: last ?? '' })}
        data-testid="older-entries"
      >
        Older
      </Button>
    </Box>
  );
}
