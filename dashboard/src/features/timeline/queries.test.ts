import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { keys } from '../../api/keys';
import type { FeedState } from '../../live/reduce';
import { sessionDetail, timelineEvent } from '../../test/builders';
import { answer, server } from '../../test/server';
import { feedQuery } from './queries';

async function readFeed(client: QueryClient): Promise<FeedState> {
  return client.fetchQuery({ ...feedQuery(client, 'a'), staleTime: 0 });
}

describe('the timeline over REST', () => {
  it('continues after the last event that the session had when it was read', async () => {
    server.use(answer('/api/v1/sessions/a/timeline', [timelineEvent({ id: 'e1' })]));
    const client = new QueryClient();
    client.setQueryData(keys.detail('a'), sessionDetail({ last_event_id: 341 }));
    const feed = await readFeed(client);
    expect(feed.lastEventId).toBe(341);
    expect(feed.items.map(({ id }) => id)).toEqual(['e1']);
  });

  it('continues after the last received event when it is read again', async () => {
    server.use(answer('/api/v1/sessions/a/timeline', []));
    const client = new QueryClient();
    client.setQueryData(keys.detail('a'), sessionDetail({ last_event_id: 341 }));
    const feed = await readFeed(client);
    client.setQueryData<FeedState>(keys.feed('a'), { ...feed, lastEventId: null });
    expect((await readFeed(client)).lastEventId).toBeNull();
    client.setQueryData<FeedState>(keys.feed('a'), { ...feed, lastEventId: 350 });
    expect((await readFeed(client)).lastEventId).toBe(350);
  });

  it('starts at the first event when the last one is unknown', async () => {
    server.use(answer('/api/v1/sessions/a/timeline', []));
    expect((await readFeed(new QueryClient())).lastEventId).toBeNull();
  });
});
