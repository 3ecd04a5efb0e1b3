import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { getTimeline } from '../../api/sessions';
import { emptyFeed, mergeTimeline, type FeedState } from '../../live/reduce';

/** The timeline over REST, merged into what the live channel has already told. */
export function feedQuery(client: QueryClient, id: string) {
  return queryOptions({
    queryKey: keys.feed(id),
    queryFn: async ({ signal }): Promise<FeedState> => {
      const events = await getTimeline(id, signal);
      return mergeTimeline(client.getQueryData<FeedState>(keys.feed(id)) ?? emptyFeed, events);
    },
    structuralSharing: false,
    // The live channel keeps it true; a look at another window is no reason to read it all again.
    refetchOnWindowFocus: false,
  });
}
