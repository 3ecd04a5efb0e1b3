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

  function hear(...messages: readonly object[]): void {
    relay.say(...messages);
    vi.advanceTimersByTime(300);
  }

  function items(): readonly string[] {
    return client.getQueryData<FeedState>(keys.feed('a'))?.items.map(({ id }) => id) ?? [];
  }

  it('writes what it hears into the cache', () => {
    hear(created(1), created(2));
    expect(items()).toEqual(['e1', 'e2']);
  });

  it('asks behind the last event when there is a gap, at most once a second', () => {
    hear(created(1));
    hear(created(4));
    hear(created(5));
    expect(relay.frames('catchup')).toEqual([
      { action: 'catchup', channel: 'session:a', last_event_id: 1 },
    ]);
    hear(created(2), created(3), created(4), created(5));
    expect(items()).toEqual(['e1', 'e2', 'e3', 'e4', 'e5']);
  });

  it('takes the timeline from REST when asking leads nowhere', () => {
    const reload = vi.spyOn(client, 'invalidateQueries');
    hear(created(1));
    for (let round = 0; round < 4; round += 1) {
      hear(created(9));
      vi.advanceTimersByTime(1000);
    }
    expect(reload).toHaveBeenCalledWith({ queryKey: keys.feed('a') });
    hear(created(9));
    expect(items()).toEqual(['e1', 'e9']);
  });

  it('reads timeline and detail again after an overflow', () => {
    const reload = vi.spyOn(client, 'invalidateQueries');
    hear({ type: 'catchup.overflow', channel: 'session:a', has_more: true });
    expect(reload).toHaveBeenCalledWith({ queryKey: keys.feed('a') });
    expect(reload).toHaveBeenCalledWith({ queryKey: keys.detail('a') });
  });
});

describe('the feed of the list', () => {
  it('shows progress and state at once, and reads the lists a little later', () => {
    const reload = vi.spyOn(client, 'invalidateQueries');
    const item = { id: 'a', status: 'in_progress' };
    client.setQueryData(keys.active, { active: [item], queued: [] });
    stop = startListFeed(client, connect());
    relay.say({
      type: 'session.progress',
      session_id: 'a',
      current_stage_name: 'Diagnosis',
      status_text: 'Calling df',
    });
    expect(client.getQueryData<ProgressBySession>(keys.progress)).toEqual({
      a: { stageName: 'Diagnosis', text: 'Calling df' },
    });
    relay.say({ type: 'session.status', session_id: 'a', status: 'cancelling' });
    expect(client.getQueryData<ActiveSessions>(keys.active)?.active[0]?.status).toBe('cancelling');
    expect(reload).toHaveBeenCalledWith({ queryKey: keys.lists });
  });

  it('reads the lists after an overflow and after a reconnect', () => {
    const reload = vi.spyOn(client, 'invalidateQueries');
    stop = startListFeed(client, connect());
    relay.say({ type: 'catchup.overflow', channel: 'sessions', has_more: true });
    expect(reload).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(2000);
    relay.lose();
    vi.advanceTimersByTime(1000);
    relay.open();
    expect(reload).toHaveBeenCalledTimes(2);
  });
});
