import { Box, Button, Skeleton } from '@mui/material';
import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { exportMemories, memoriesQuery, type MemoryQuery } from '../../api/memories';
import { download } from '../../lib/browser/download';
import { EmptyState } from '../../ui/notices/EmptyState';
import { LoadingBar } from '../../ui/notices/LoadingBar';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { ListIcon, SearchIcon } from '../../ui/theme/icons';
import { plainList } from '../../ui/theme/tokens';
import { Failure } from './Failure';
import { MemoryRow } from './MemoryRow';
import { noFilter, readParams, writeParams } from './params';

const Filters = lazy(async () => ({ default: (await import('./Filters')).Filters }));

/** The memories that match the filters, those that were confirmed last first. */
export function Memories() {
  const { list, change } = useMemoryParams();
  const query = useQuery(memoriesQuery(list));
  const { data, isPlaceholderData } = query;
  const memories = data?.memories ?? [];
  return (
    <Panel title="Memories" testId="memories" actions={<ExportButton list={list} />}>
      <Suspense fallback={<Skeleton variant="rounded" height={56} />}>
        <Filters list={list} change={change} />
      </Suspense>
      {isPlaceholderData && <LoadingBar />}
      <LoadState query={query} noun="memories" heightPx={240} />
      {data && memories.length === 0 && <NoMemories list={list} change={change} />}
      <Box component="ul" aria-label="Memories" sx={plainList}>
        {memories.map((memory) => (
          <MemoryRow key={memory.id} memory={memory} />
        ))}
      </Box>
      <Pages list={list} next={data?.next_cursor ?? null} change={change} />
    </Panel>
  );
}

/** The parameters in the URL. A change of a filter goes back to the first page. */
function useMemoryParams() {
  const [search, setSearch] = useSearchParams();
  const list = useMemo(() => readParams(search), [search]);
  const change = useCallback(
    (changes: Partial<MemoryQuery>) =>
      setSearch((current) => writeParams({ ...readParams(current), cursor: '', ...changes })),
    [setSearch],
  );
  return { list, change };
}

function ExportButton({ list }: { readonly list: MemoryQuery }) {
  const save = useMutation({
    mutationFn: () => exportMemories(list),
    onSuccess: (memories) =>
      download('memories.json', 'application/json', `${JSON.stringify({ memories }, null, 2)}\n`),
  });
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
      <Failure error={save.error} />
      <Button
        size="small"
        onClick={() => save.mutate()}
        disabled={save.isPending}
        data-testid="export-memories"
      >
        Export as JSON
      </Button>
    </Box>
  );
}

interface PartProps {
  readonly list: MemoryQuery;
  readonly change: (changes: Partial<MemoryQuery>) => void;
}

function NoMemories({ list, change }: PartProps) {
  if (list.text !== '' || list.state !== '' || list.cursor !== '') {
    return (
      <EmptyState
        icon={<SearchIcon />}
        title="No matching memories"
        testId="no-matching-memories"
        action={<Button onClick={() => change(noFilter)}>Show all memories</Button>}
      />
    );
  }
  return (
    <EmptyState icon={<ListIcon />} title="No memories yet" testId="no-memories">
      Review the finding of a session: the confirmed cause becomes a memory.
    </EmptyState>
  );
}

function Pages({ list, next, change }: PartProps & { readonly next: string | null }) {
  if (list.cursor === '' && next === null) return null;
  return (
    <Box
      component="nav"
      aria-label="Pages of the memories"
      sx={{ display: 'flex', justifyContent: 'center', gap: 1, pt: 2 }}
    >
      <Button disabled={list.cursor === ''} onClick={() => change({ cursor: '' })}>
        First
      </Button>
      <Button disabled={next === null} onClick={() => change({ cursor: next ?? '' })}>
        Next
      </Button>
    </Box>
  );
}
