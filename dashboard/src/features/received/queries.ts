import { keepPreviousData, queryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import {
  listReceivedAlerts,
  listRefused,
  listSessionAlerts,
  type ReceivedQuery,
} from '../../api/receivedAlerts';

/** Alerts that only count with a session are reported by no event. */
const REFRESH_MS = 30_000;

export function receivedQuery(query: ReceivedQuery) {
  return queryOptions({
    queryKey: keys.receivedAlerts(query),
    queryFn: ({ signal }) => listReceivedAlerts(query, signal),
    placeholderData: keepPreviousData,
    // Only the newest page changes.
    refetchInterval: query.before === '' ? REFRESH_MS : false,
  });
}

/** The requests of sources that were refused. */
export const refusedQuery = queryOptions({
  queryKey: keys.refusedRequests,
  queryFn: ({ signal }) => listRefused(signal),
  refetchInterval: REFRESH_MS,
});

export function useSessionAlerts(session: string) {
  return useInfiniteQuery({
    queryKey: keys.sessionAlerts(session),
    queryFn: ({ pageParam, signal }) => listSessionAlerts(session, pageParam, signal),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next_before: before }) => before,
    refetchInterval: REFRESH_MS,
  });
}
