import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { keys } from '../../api/keys';
import type { FeedState } from '../../live/reduce';
import { sessionDetail, timelineEvent } from '../../test/builders';
import { answer, server } from '../../test/server';
import { feedQuery } from './queries';

async function read(client: QueryClient): Promise<FeedState> {
  return client.fetchQuery({ ...feedQuery(client, 'a'), staleTime: 0 });
}

describe('the timeline over REST', () => {
  it('is watched from behind the event that the session had when it was read', async () => {
    server.use(answer('/api/v1/sessions/a/timeline', [timelineEvent({ id: 'e1' })]));
    const client = new QueryClient();
    client.setQueryData(keys.detail('a'), sessionDetail({ last_event_id: 341 }));
    const feed = await read(client);
    expect(feed.lastEventId).toBe(341);
    expect(feed.items.map(({ id }) => id)).toEqual(['e1']);
  });

  it('goes on behind what was heard when it is read again', async () => {
    server.use(answer('/api/v1/sessions/a/timeline', []));
    const client = new QueryClient();
    client.setQueryData(keys.detail('a'), sessionDetail({ last_event_id: 341 }));
    const feed = await read(client);
    client.setQueryData<FeedState>(keys.feed('a'), { ...feed, lastEventId: null });
    expect((await read(client)).lastEventId).toBeNull();
    client.setQueryData<FeedState>(keys.feed('a'), { ...feed, lastEventId: 350 });
    expect((await read(client)).lastEventId).toBe(350);
  });

  it('is watched from the beginning where nobody knows the last event', async () => {
    server.use(answer('/api/v1/sessions/a/timeline', []));
    expect((await read(new QueryClient())).lastEventId).toBeNull();
  });
});
