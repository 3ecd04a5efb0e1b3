import { Box, Button } from '@mui/material';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { SearchQuery } from '../../api/search';
import { present } from '../../lib/values/present';
import { useChanges } from '../../lib/browser/useChanges';
import { EmptyState } from '../../ui/notices/EmptyState';
import { LoadingBar } from '../../ui/notices/LoadingBar';
import { LoadState } from '../../ui/notices/LoadState';
import { SearchIcon } from '../../ui/theme/icons';
import { Panel } from '../../ui/layout/Panel';
import { MIN_TEXT, readParams, writeParams } from './params';
import { searchQuery } from './queries';
import { SearchForm } from './SearchForm';
import { SearchHits } from './SearchHits';

/** The search and what it found, the newest session first. */
export function Search() {
  const [params, setParams] = useSearchParams();
  const query = useMemo(() => readParams(params), [params]);
  const write = useCallback(
    (next: SearchQuery) => setParams(writeParams(next), { replace: true }),
    [setParams],
  );
  const apply = useChanges(query, write);
  const change = useCallback(
    (changes: Partial<SearchQuery>) => apply((current) => ({ ...current, ...changes })),
    [apply],
  );
  const found = useFound(query);
  return (
    <Panel title="Search" testId="search">
      <SearchForm query={query} found={found} change={change} />
      {query.text.trim().length < MIN_TEXT ? (
        <EmptyState icon={<SearchIcon />} title="Search all sessions" testId="search-empty">
          Names, addresses and IDs, whole or in part. Matches must contain all words.
        </EmptyState>
      ) : (
        <Results query={query} />
      )}
    </Panel>
  );
}

/** The authors and severities of what was found. */
function useFound(query: SearchQuery) {
  const { data } = useInfiniteQuery(searchQuery(query));
  return useMemo(() => {
    const sessions = data?.pages.flatMap(({ hits }) => hits.map(({ session }) => session)) ?? [];
    return {
      authors: present(sessions.map(({ author }) => author)),
      severities: present(sessions.map(({ severity }) => severity)),
    };
  }, [data]);
}

function Results({ query }: { readonly query: SearchQuery }) {
  const result = useInfiniteQuery(searchQuery(query));
  const { data, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } = result;
  const hits = data?.pages.flatMap((page) => page.hits) ?? [];
  return (
    <>
      {isPlaceholderData && <LoadingBar />}
      <LoadState query={result} noun="search results" heightPx={240} />
      {hits.length > 0 && <SearchHits hits={hits} />}
      {data && hits.length === 0 && (
        <EmptyState icon={<SearchIcon />} title="No matching sessions" testId="search-no-hits">
          {hasNextPage
            ? 'None of the newest sessions match. Search older ones below.'
            : 'Write whole words; only the last one may be a beginning.'}
        </EmptyState>
      )}
      {hasNextPage && (
        <Box sx={{ display: 'flex', justifyContent: 'center', pt: 2 }}>
          <Button
            onClick={() => void fetchNextPage()}
            disabled={isFetchingNextPage}
            data-testid="older-hits"
          >
            Search older sessions
          </Button>
        </Box>
      )}
    </>
  );
}
