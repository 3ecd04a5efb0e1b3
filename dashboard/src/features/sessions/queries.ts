import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { listActive, listSessions, type SessionQuery } from '../../api/sessions';
import type { ProgressBySession } from '../../live/listFeed';

export const activeQuery = queryOptions({
  queryKey: keys.active,
  queryFn: ({ signal }) => listActive(signal),
});

export function historyQuery(query: SessionQuery) {
  return queryOptions({
    queryKey: keys.history(query),
    queryFn: ({ signal }) => listSessions(query, signal),
    placeholderData: keepPreviousData,
  });
}

/** Progress by session id. Only the live channel writes it; there is no REST endpoint. */
export const progressQuery = queryOptions<ProgressBySession>({
  queryKey: keys.progress,
  queryFn: () => ({}),
  initialData: {},
  staleTime: Infinity,
  gcTime: Infinity,
});
