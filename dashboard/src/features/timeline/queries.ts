import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { getTimeline, type SessionDetail } from '../../api/sessions';
import { emptyFeed, mergeTimeline, type FeedState } from '../../live/reduce';

/** Reads the timeline over REST and merges it into the state from the live channel. */
export function feedQuery(client: QueryClient, id: string) {
  return queryOptions({
    queryKey: keys.feed(id),
    queryFn: async ({ signal }): Promise<FeedState> => {
      // Read before the timeline, which therefore includes all events up to it: the subscription starts after it.
      const lastEventId =
        client.getQueryData<SessionDetail>(keys.detail(id))?.last_event_id ?? null;
      const events = await getTimeline(id, signal);
      const state = client.getQueryData<FeedState>(keys.feed(id)) ?? { ...emptyFeed, lastEventId };
      return mergeTimeline(state, events);
    },
    structuralSharing: false,
    // The live channel keeps it up to date.
    refetchOnWindowFocus: false,
  });
}
