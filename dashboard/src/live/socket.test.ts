import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeRelay } from '../test/fakeRelay';
import { backoffDelay } from './backoff';
import type { LiveMessage } from './messages';
import type { LiveSocket } from './socket';

describe('the socket', () => {
  let relay: FakeRelay;
  let socket: LiveSocket;
  let last: number | null;
  let received: LiveMessage[];
  let reconnectCount: number;

  beforeEach(() => {
    vi.useFakeTimers();
    relay = new FakeRelay();
    socket = relay.socket();
    last = null;
    received = [];
    reconnectCount = 0;
    socket.start();
  });

  afterEach(() => {
    socket.stop();
    vi.useRealTimers();
  });

  function subscribe(): () => void {
    return socket.subscribe({
      channel: 'session:a',
      accepts: (message) => message.sessionId === 'a',
      onMessage: (message) => void received.push(message),
      lastEventId: () => last,
      onReconnect: () => {
        reconnectCount += 1;
      },
    });
  }

  it('subscribes to channels requested before it opened', () => {
    subscribe();
    expect(relay.sent).toEqual([]);
    relay.open();
    expect(relay.sent).toEqual([{ action: 'subscribe', channel: 'session:a' }]);
  });

  it('delivers a message to matching subscriptions', () => {
    subscribe();
    relay.open();
    relay.deliver(
      { type: 'session.status', session_id: 'a', status: 'completed' },
      { type: 'session.status', session_id: 'b', status: 'completed' },
      { type: 'catchup.overflow', channel: 'session:a', has_more: true },
      { type: 'catchup.overflow', channel: 'sessions', has_more: true },
    );
    expect(received.map(({ type, sessionId }) => `${type} ${sessionId}`)).toEqual([
      'session.status a',
      'catchup.overflow null',
    ]);
  });

  it('reconnects and continues after the last event', () => {
    subscribe();
    relay.open();
    last = 7;
    relay.disconnect();
    expect(socket.status()).toBe('reconnecting');
    vi.advanceTimersByTime(1000);
    relay.open();
    expect(socket.status()).toBe('open');
    expect(reconnectCount).toBe(1);
    expect(relay.sent.at(-1)).toEqual({
      action: 'subscribe',
      channel: 'session:a',
      last_event_id: 7,
    });
  });

  it('pings, and reconnects without a pong', () => {
    relay.open();
    vi.advanceTimersByTime(20_000);
    expect(relay.frames('ping')).toHaveLength(1);
    relay.deliver({ type: 'pong' });
    vi.advanceTimersByTime(10_000);
    expect(socket.status()).toBe('open');
    vi.advanceTimersByTime(20_000);
    expect(socket.status()).toBe('reconnecting');
    vi.advanceTimersByTime(1000);
    expect(relay.connections).toBe(2);
  });

  it('checks the connection when the network or the tab is active again', () => {
    relay.open();
    socket.wake();
    expect(relay.frames('ping')).toHaveLength(1);
    relay.deliver({ type: 'pong' });
    vi.advanceTimersByTime(10_000);
    expect(socket.status()).toBe('open');
    socket.wake();
    vi.advanceTimersByTime(10_000);
    expect(socket.status()).toBe('reconnecting');
    socket.wake();
    expect(relay.connections).toBe(2);
  });

  it('reports channels that the relay degrades', () => {
    relay.open();
    relay.deliver({
      type: 'connection.degraded',
      channel: 'session:a',
      message: 'bus unavailable',
    });
    relay.deliver({ type: 'connection.degraded', channel: 'sessions', message: 'bus unavailable' });
    relay.deliver({ type: 'connection.recovered', channel: 'session:a' });
    expect(socket.status()).toBe('degraded');
    relay.deliver({ type: 'connection.recovered', channel: 'sessions' });
    expect(socket.status()).toBe('open');
  });

  it('forgets a degraded channel that is unsubscribed', () => {
    relay.open();
    const unsubscribe = subscribe();
    relay.deliver({
      type: 'connection.degraded',
      channel: 'session:a',
      message: 'bus unavailable',
    });
    expect(socket.status()).toBe('degraded');
    unsubscribe();
    expect(socket.status()).toBe('open');
  });

  it('unsubscribes with the last subscription', () => {
    relay.open();
    const first = subscribe();
    const second = subscribe();
    first();
    expect(relay.frames('unsubscribe')).toEqual([]);
    second();
    expect(relay.frames('unsubscribe')).toHaveLength(1);
  });
});

it('increases the reconnect delay up to a limit with jitter', () => {
  expect([0, 1, 2, 3].map((attempt) => backoffDelay(attempt, () => 1))).toEqual([
    500, 1000, 2000, 4000,
  ]);
  expect(backoffDelay(50, () => 1)).toBe(15_000);
  expect(backoffDelay(50, () => 0)).toBe(7_500);
});
