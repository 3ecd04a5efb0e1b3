import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { getTimeline, type SessionDetail, type TimelineEvent } from '../../api/sessions';
import { emptyFeed, mergeTimeline, type FeedState, type TimelineItem } from '../../live/reduce';

/** So many steps are read before the others: they fill several screens. */
const FIRST_STEPS = 100;

interface FeedStart {
  /** The subscription starts after it: it was read before these steps, which therefore include all events up to it. */
  readonly lastEventId: number | null;
  readonly events: readonly TimelineEvent[];
  /** False when there are more steps. */
  readonly complete: boolean;
}

/** The first steps. */
export function feedStartQuery(client: QueryClient, id: string) {
  return queryOptions({
    queryKey: keys.feedStart(id),
    queryFn: async ({ signal }): Promise<FeedStart> => {
      const lastEventId =
        client.getQueryData<SessionDetail>(keys.detail(id))?.last_event_id ?? null;
      const events = await getTimeline(id, signal, { limit: FIRST_STEPS });
      return { lastEventId, events, complete: events.length < FIRST_STEPS };
    },
    structuralSharing: false,
    staleTime: Infinity,
  });
}

/** What the page shows of a long timeline until the rest has arrived; null for one that arrives at once. */
export function firstItems({ events, complete }: FeedStart): readonly TimelineItem[] | null {
  return complete ? null : mergeTimeline(emptyFeed, events).items;
}

/** Reads the timeline over REST and merges it into the state from the live channel. The first time, it goes on from its first steps. */
export function feedQuery(client: QueryClient, id: string) {
  const cached = () => client.getQueryData<FeedState>(keys.feed(id));
  return queryOptions({
    queryKey: keys.feed(id),
    queryFn: async ({ signal }): Promise<FeedState> => {
      if (cached() !== undefined) {
        const events = await getTimeline(id, signal);
        return mergeTimeline(cached() ?? emptyFeed, events);
      }
      const { lastEventId, events, complete } = await client.ensureQueryData(
        feedStartQuery(client, id),
      );
      const after = events.at(-1)?.sequence_number;
      const others = complete ? [] : await getTimeline(id, signal, { after });
      return mergeTimeline(cached() ?? { ...emptyFeed, lastEventId }, [...events, ...others]);
    },
    structuralSharing: false,
    // The live channel keeps it up to date.
    refetchOnWindowFocus: false,
  });
}
