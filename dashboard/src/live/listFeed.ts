/** Updates the session lists in the query cache from the `sessions` channel. */
import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../api/keys';
import type { ActiveSessions } from '../api/sessions';
import { isTerminal } from '../lib/session/status';
import { SESSIONS_CHANNEL, type LiveMessage } from './messages';
import type { LiveSocket } from './socket';
import { createThrottle } from './throttle';

const REFRESH_EVERY_MS = 1000;

export interface SessionProgress {
  readonly stageName: string;
  readonly text: string;
}

export type ProgressBySession = Readonly<Record<string, SessionProgress>>;

export function reduceProgress(
  progress: ProgressBySession,
  message: LiveMessage,
): ProgressBySession {
  const { body, sessionId } = message;
  if (sessionId === null || body === null) return progress;
  if (body.type === 'session.progress') {
    return {
      ...progress,
      [sessionId]: { stageName: body.current_stage_name, text: body.status_text },
    };
  }
  if (body.type === 'session.status' && isTerminal(body.status) && sessionId in progress) {
    const { [sessionId]: _removed, ...others } = progress;
    return others;
  }
  return progress;
}

/** Sets a status in the cached list; the REST read that follows confirms it. */
export function patchActive(lists: ActiveSessions, id: string, status: string): ActiveSessions {
  return {
    ...lists,
    active: lists.active.map((item) => (item.id === id ? { ...item, status } : item)),
  };
}

export function startListFeed(client: QueryClient, socket: LiveSocket): () => void {
  const refresh = createThrottle(REFRESH_EVERY_MS, () => {
    void client.invalidateQueries({ queryKey: keys.lists });
  });

  function receive(message: LiveMessage): void {
    const { body, sessionId } = message;
    // Without a body it is a change that only the list has, such as one of the state of work.
    if (body === null || body.type === 'catchup.overflow') return refresh.call();
    client.setQueryData<ProgressBySession>(keys.progress, (progress) =>
      reduceProgress(progress ?? {}, message),
    );
    if (body.type !== 'session.status' || sessionId === null) return undefined;
    client.setQueryData<ActiveSessions>(keys.active, (lists) =>
      lists ? patchActive(lists, sessionId, body.status) : lists,
    );
    return refresh.call();
  }

  const unsubscribe = socket.subscribe({
    channel: SESSIONS_CHANNEL,
    accepts: (message) => message.type.startsWith('session.'),
    onMessage: receive,
    lastEventId: () => null,
    onReconnect: refresh.call,
  });
  return () => {
    unsubscribe();
    refresh.stop();
  };
}
