import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { getTimeline, type SessionDetail, type TimelineEvent } from '../../api/sessions';
import { emptyFeed, mergeTimeline, type FeedState, type TimelineItem } from '../../live/reduce';

/** So many steps are read before the others: they fill several screens. */
const FIRST_STEPS = 100;

/** The first steps, which need not wait for the session. */
export function feedStartQuery(id: string) {
  return queryOptions({
    queryKey: keys.feedStart(id),
    queryFn: ({ signal }) => getTimeline(id, signal, { limit: FIRST_STEPS }),
    structuralSharing: false,
    staleTime: Infinity,
    retry: false,
  });
}

/** What the page shows of a long timeline until the rest has arrived; null for a timeline that arrives at once. */
export function firstItems(events: readonly TimelineEvent[]): readonly TimelineItem[] | null {
  return events.length < FIRST_STEPS ? null : mergeTimeline(emptyFeed, events).items;
}

/**
 * Reads the timeline over REST and merges it into the state from the live channel. When the first steps were read before, only
 * the others are.
 */
export function feedQuery(client: QueryClient, id: string) {
  return queryOptions({
    queryKey: keys.feed(id),
    queryFn: async ({ signal }): Promise<FeedState> => {
      // Read before the timeline, which therefore includes all events up to it: the subscription starts after it.
      const lastEventId =
        client.getQueryData<SessionDetail>(keys.detail(id))?.last_event_id ?? null;
      const start = await readStart(client, id);
      const events = await getTimeline(id, signal, { after: start.at(-1)?.sequence_number });
      const state = client.getQueryData<FeedState>(keys.feed(id)) ?? { ...emptyFeed, lastEventId };
      return mergeTimeline(state, [...start, ...events]);
    },
    structuralSharing: false,
    // The live channel keeps it up to date.
    refetchOnWindowFocus: false,
  });
}

/**
 * The first steps, when they were asked for and are final. A step that streams may have ended since: then none of them count,
 * nor do they once the timeline has been read.
 */
async function readStart(client: QueryClient, id: string): Promise<readonly TimelineEvent[]> {
  const asked = client.getQueryState(keys.feedStart(id)) !== undefined;
  if (!asked || client.getQueryData(keys.feed(id)) !== undefined) return [];
  const events = await client.ensureQueryData(feedStartQuery(id)).catch(() => []);
  return events.some(({ status }) => status === 'streaming') ? [] : events;
}
