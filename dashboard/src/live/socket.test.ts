import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeRelay } from '../test/fakeRelay';
import { backoffDelay } from './backoff';
import type { LiveMessage } from './messages';
import type { LiveSocket } from './socket';

describe('the socket', () => {
  let relay: FakeRelay;
  let socket: LiveSocket;
  let last: number | null;
  let heard: LiveMessage[];
  let reconnects: number;

  beforeEach(() => {
    vi.useFakeTimers();
    relay = new FakeRelay();
    socket = relay.socket();
    last = null;
    heard = [];
    reconnects = 0;
    socket.start();
  });

  afterEach(() => {
    socket.stop();
    vi.useRealTimers();
  });

  function watch(): () => void {
    return socket.watch({
      channel: 'session:a',
      accepts: (message) => message.sessionId === 'a',
      onMessage: (message) => void heard.push(message),
      lastEventId: () => last,
      onReconnect: () => {
        reconnects += 1;
      },
    });
  }

  it('subscribes what is watched, also what was watched before it opened', () => {
    watch();
    expect(relay.sent).toEqual([]);
    relay.open();
    expect(relay.sent).toEqual([{ action: 'subscribe', channel: 'session:a' }]);
  });

  it('hands a message to those who want it', () => {
    watch();
    relay.open();
    relay.say(
      { type: 'session.status', session_id: 'a', status: 'completed' },
      { type: 'session.status', session_id: 'b', status: 'completed' },
      { type: 'catchup.overflow', channel: 'session:a', has_more: true },
      { type: 'catchup.overflow', channel: 'sessions', has_more: true },
    );
    expect(heard.map(({ type, sessionId }) => `${type} ${sessionId}`)).toEqual([
      'session.status a',
      'catchup.overflow null',
    ]);
  });

  it('comes back after a loss and goes on behind the last event', () => {
    watch();
    relay.open();
    last = 7;
    relay.lose();
    expect(socket.status()).toBe('reconnecting');
    vi.advanceTimersByTime(1000);
    relay.open();
    expect(socket.status()).toBe('open');
    expect(reconnects).toBe(1);
    expect(relay.sent.at(-1)).toEqual({
      action: 'subscribe',
      channel: 'session:a',
      last_event_id: 7,
    });
  });

  it('pings, and takes silence for a dead connection', () => {
    relay.open();
    vi.advanceTimersByTime(20_000);
    expect(relay.frames('ping')).toHaveLength(1);
    relay.say({ type: 'pong' });
    vi.advanceTimersByTime(10_000);
    expect(socket.status()).toBe('open');
    vi.advanceTimersByTime(20_000);
    expect(socket.status()).toBe('reconnecting');
    vi.advanceTimersByTime(1000);
    expect(relay.connections).toBe(2);
  });

  it('asks whether it still lives when the network or the tab comes back', () => {
    relay.open();
    socket.wake();
    expect(relay.frames('ping')).toHaveLength(1);
    relay.say({ type: 'pong' });
    vi.advanceTimersByTime(10_000);
    expect(socket.status()).toBe('open');
    socket.wake();
    vi.advanceTimersByTime(10_000);
    expect(socket.status()).toBe('reconnecting');
    socket.wake();
    expect(relay.connections).toBe(2);
  });

  it('says what the relay says about itself', () => {
    relay.open();
    relay.say({ type: 'connection.degraded', channel: 'session:a', message: 'bus away' });
    relay.say({ type: 'connection.degraded', channel: 'sessions', message: 'bus away' });
    relay.say({ type: 'connection.recovered', channel: 'session:a' });
    expect(socket.status()).toBe('degraded');
    relay.say({ type: 'connection.recovered', channel: 'sessions' });
    expect(socket.status()).toBe('open');
  });

  it('forgets the trouble of a channel that is watched no longer', () => {
    relay.open();
    const unwatch = watch();
    relay.say({ type: 'connection.degraded', channel: 'session:a', message: 'bus away' });
    expect(socket.status()).toBe('degraded');
    unwatch();
    expect(socket.status()).toBe('open');
  });

  it('unsubscribes with the last watcher', () => {
    relay.open();
    const first = watch();
    const second = watch();
    first();
    expect(relay.frames('unsubscribe')).toEqual([]);
    second();
    expect(relay.frames('unsubscribe')).toHaveLength(1);
  });
});

it('waits longer after each failure, up to a limit, and never in step with others', () => {
  expect([0, 1, 2, 3].map((attempt) => backoffDelay(attempt, () => 1))).toEqual([
    500, 1000, 2000, 4000,
  ]);
  expect(backoffDelay(50, () => 1)).toBe(15_000);
  expect(backoffDelay(50, () => 0)).toBe(7_500);
});
