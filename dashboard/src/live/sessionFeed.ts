/** Keeps one session's timeline and detail in the query cache true to the live channel. */
import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../api/keys';
import type { SessionDetail } from '../api/sessions';
import { createBatcher } from './batch';
import { reduceDetail } from './detail';
import { sessionChannel, type LiveMessage } from './messages';
import { emptyFeed, reduceAll, type FeedState, type Need } from './reduce';
import type { LiveSocket } from './socket';
import { createThrottle } from './throttle';

const CATCHUP_EVERY_MS = 1000;
const REFRESH_EVERY_MS = 1500;
/** After so many fruitless requests the missing events are taken from REST. */
const CATCHUP_LIMIT = 3;

export function startSessionFeed(client: QueryClient, socket: LiveSocket, id: string): () => void {
  const channel = sessionChannel(id);
  const feedState = () => client.getQueryData<FeedState>(keys.feed(id)) ?? emptyFeed;
  const refreshDetail = createThrottle(REFRESH_EVERY_MS, () => {
    void client.invalidateQueries({ queryKey: keys.detail(id) });
  });
  const reload = createThrottle(CATCHUP_EVERY_MS, () => {
    void client.invalidateQueries({ queryKey: keys.feed(id) });
  });
  let stuckAt: number | null = null;
  let tries = 0;
  const catchup = createThrottle(CATCHUP_EVERY_MS, () => {
    const state = feedState();
    tries = state.lastEventId === stuckAt ? tries + 1 : 1;
    stuckAt = state.lastEventId;
    if (tries <= CATCHUP_LIMIT) return socket.catchup(channel, state.lastEventId);
    tries = 0;
    client.setQueryData<FeedState>(keys.feed(id), { ...state, lastEventId: null });
    return reload.call();
  });
  const answers: Record<Need, () => void> = {
    catchup: catchup.call,
    reload: reload.call,
    detail: refreshDetail.call,
  };

  const batch = createBatcher<LiveMessage>((messages) => {
    const { state, needs } = reduceAll(feedState(), messages);
    client.setQueryData<FeedState>(keys.feed(id), state);
    client.setQueryData<SessionDetail>(keys.detail(id), (detail) =>
      detail ? messages.reduce(reduceDetail, detail) : detail,
    );
    for (const need of needs) answers[need]();
  });

  const unwatch = socket.watch({
    channel,
    accepts: (message) => message.sessionId === id && message.type !== 'session.progress',
    onMessage: batch.push,
    lastEventId: () => feedState().lastEventId,
    onReconnect: refreshDetail.call,
  });

  return () => {
    unwatch();
    batch.stop();
    for (const throttle of [catchup, reload, refreshDetail]) throttle.stop();
  };
}
