import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keys } from '../api/keys';
import type { ActiveSessions } from '../api/sessions';
import { FakeRelay } from '../test/fakeRelay';
import { startListFeed, type ProgressBySession } from './listFeed';
import { emptyFeed, type FeedState } from './reduce';
import { startSessionFeed } from './sessionFeed';

let client: QueryClient;
let relay: FakeRelay;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  relay = new FakeRelay();
});

afterEach(() => {
  stop();
  client.clear();
  vi.useRealTimers();
});

function connect() {
  const socket = relay.socket();
  socket.start();
  relay.open();
  return socket;
}

describe('the feed of a session', () => {
  const created = (eventId: number) => ({
    type: 'timeline_event.created',
    session_id: 'a',
    timestamp: 't',
    db_event_id: eventId,
    event_id: `e${eventId}`,
    event_type: 'error',
    status: 'completed',
    content: `text ${eventId}`,
    sequence_number: eventId,
  });

  beforeEach(() => {
    client.setQueryData(keys.feed('a'), emptyFeed);
    stop = startSessionFeed(client, connect(), 'a');
  });

  function deliver(...messages: readonly object[]): void {
    relay.deliver(...messages);
    vi.advanceTimersByTime(300);
  }

  function items(): readonly string[] {
    return client.getQueryData<FeedState>(keys.feed('a'))?.items.map(({ id }) => id) ?? [];
  }

  it('writes received events into the cache', () => {
    deliver(created(1), created(2));
    expect(items()).toEqual(['e1', 'e2']);
  });

  it('requests a catchup after a gap at most once per second', () => {
    deliver(created(1));
    deliver(created(4));
    deliver(created(5));
    expect(relay.frames('catchup')).toEqual([
      { action: 'catchup', channel: 'session:a', last_event_id: 1 },
    ]);
    deliver(created(2), created(3), created(4), created(5));
    expect(items()).toEqual(['e1', 'e2', 'e3', 'e4', 'e5']);
  });

  it('reads the timeline over REST when catchup requests have no result', () => {
    const reload = vi.spyOn(client, 'invalidateQueries');
    deliver(created(1));
    for (let round = 0; round < 4; round += 1) {
      deliver(created(9));
      vi.advanceTimersByTime(1000);
    }
    expect(reload).toHaveBeenCalledWith({ queryKey: keys.feed('a') });
    deliver(created(9));
    expect(items()).toEqual(['e1', 'e9']);
  });

  it('refetches timeline and detail after an overflow', () => {
    const reload = vi.spyOn(client, 'invalidateQueries');
    deliver({ type: 'catchup.overflow', channel: 'session:a', has_more: true });
    expect(reload).toHaveBeenCalledWith({ queryKey: keys.feed('a') });
    expect(reload).toHaveBeenCalledWith({ queryKey: keys.detail('a') });
  });
});

describe('the feed of the list', () => {
  it('updates progress and status immediately, and refetches the lists', () => {
    const reload = vi.spyOn(client, 'invalidateQueries');
    const item = { id: 'a', status: 'in_progress' };
    client.setQueryData(keys.active, { active: [item], queued: [] });
    stop = startListFeed(client, connect());
    relay.deliver({
      type: 'session.progress',
      session_id: 'a',
      current_stage_name: 'Diagnosis',
      status_text: 'Calling df',
    });
    expect(client.getQueryData<ProgressBySession>(keys.progress)).toEqual({
      a: { stageName: 'Diagnosis', text: 'Calling df' },
    });
    relay.deliver({ type: 'session.status', session_id: 'a', status: 'cancelling' });
    expect(client.getQueryData<ActiveSessions>(keys.active)?.active[0]?.status).toBe('cancelling');
    expect(reload).toHaveBeenCalledWith({ queryKey: keys.lists });
  });

  it('refetches the lists after an overflow and after a reconnect', () => {
    const reload = vi.spyOn(client, 'invalidateQueries');
    stop = startListFeed(client, connect());
    relay.deliver({ type: 'catchup.overflow', channel: 'sessions', has_more: true });
    expect(reload).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(2000);
    relay.disconnect();
    vi.advanceTimersByTime(1000);
    relay.open();
    expect(reload).toHaveBeenCalledTimes(2);
  });
});
