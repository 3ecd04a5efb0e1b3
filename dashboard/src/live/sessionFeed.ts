/** Updates one session's timeline and detail in the query cache from its live channel. */
import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../api/keys';
import type { SessionDetail } from '../api/sessions';
import { createBatcher } from './batch';
import { reduceDetail } from './detail';
import { sessionChannel, type LiveMessage } from './messages';
import { emptyFeed, reduceAll, type Effect, type FeedState } from './reduce';
import type { LiveSocket } from './socket';
import { createThrottle, type Throttle } from './throttle';

const CATCHUP_EVERY_MS = 1000;
const REFRESH_EVERY_MS = 1500;
/** Catchup requests without a result before the timeline is read over REST. */
const CATCHUP_LIMIT = 3;

function readFeed(client: QueryClient, id: string): FeedState {
  return client.getQueryData<FeedState>(keys.feed(id)) ?? emptyFeed;
}

export function startSessionFeed(client: QueryClient, socket: LiveSocket, id: string): () => void {
  const effects = createEffects(client, socket, id);
  const batch = createBatcher<LiveMessage>((messages) => {
    const { state, effects: requested } = reduceAll(readFeed(client, id), messages);
    client.setQueryData<FeedState>(keys.feed(id), state);
    client.setQueryData<SessionDetail>(keys.detail(id), (detail) =>
      detail ? messages.reduce(reduceDetail, detail) : detail,
    );
    for (const effect of requested) effects[effect].call();
  });
  const unsubscribe = socket.subscribe({
    channel: sessionChannel(id),
    accepts: (message) => message.sessionId === id && message.type !== 'session.progress',
    onMessage: batch.push,
    lastEventId: () => readFeed(client, id).lastEventId,
    onReconnect: effects.detail.call,
  });
  return () => {
    unsubscribe();
    batch.stop();
    for (const throttle of Object.values(effects)) throttle.stop();
  };
}

/** The throttled request of each effect. */
function createEffects(
  client: QueryClient,
  socket: LiveSocket,
  id: string,
): Record<Effect, Throttle> {
  const detail = createThrottle(REFRESH_EVERY_MS, () => {
    void client.invalidateQueries({ queryKey: keys.detail(id) });
  });
  const claims = createThrottle(REFRESH_EVERY_MS, () => {
    void client.invalidateQueries({ queryKey: keys.claims(id) });
  });
  const alerts = createThrottle(REFRESH_EVERY_MS, () => {
    void client.invalidateQueries({ queryKey: keys.sessionAlerts(id) });
  });
  const reload = createThrottle(CATCHUP_EVERY_MS, () => {
    void client.invalidateQueries({ queryKey: keys.feed(id) });
  });
  let stuckAt: number | null = null;
  let attempts = 0;
  const catchup = createThrottle(CATCHUP_EVERY_MS, () => {
    const state = readFeed(client, id);
    attempts = state.lastEventId === stuckAt ? attempts + 1 : 1;
    stuckAt = state.lastEventId;
    if (attempts <= CATCHUP_LIMIT) return socket.catchup(sessionChannel(id), state.lastEventId);
    attempts = 0;
    client.setQueryData<FeedState>(keys.feed(id), { ...state, lastEventId: null });
    return reload.call();
  });
  return { catchup, reload, detail, claims, alerts };
}
