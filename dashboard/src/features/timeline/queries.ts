import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { getTimeline, type SessionDetail } from '../../api/sessions';
import { emptyFeed, mergeTimeline, type FeedState } from '../../live/reduce';

/** The timeline over REST, merged into what the live channel has already told. */
export function feedQuery(client: QueryClient, id: string) {
  return queryOptions({
    queryKey: keys.feed(id),
    queryFn: async ({ signal }): Promise<FeedState> => {
      // Known before the timeline is read, which thus has all up to it: the watch begins behind it.
      const lastEventId =
        client.getQueryData<SessionDetail>(keys.detail(id))?.last_event_id ?? null;
      const events = await getTimeline(id, signal);
      const state = client.getQueryData<FeedState>(keys.feed(id)) ?? { ...emptyFeed, lastEventId };
      return mergeTimeline(state, events);
    },
    structuralSharing: false,
    // The live channel keeps it true; a look at another window is no reason to read it all again.
    refetchOnWindowFocus: false,
  });
}
