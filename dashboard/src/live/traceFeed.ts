/** Invalidates the cached trace when the session's live channel reports a change. */
import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../api/keys';
import type { SessionDetail } from '../api/sessions';
import { sessionChannel, type LiveMessage } from './messages';
import type { FeedState } from './reduce';
import type { LiveSocket } from './socket';
import { createThrottle } from './throttle';

const REFRESH_EVERY_MS = 1500;

const refreshingTypes: ReadonlySet<string> = new Set([
  'interaction.created',
  'timeline_event.completed',
  'stage.status',
  'session.status',
  'execution.status',
  'catchup.overflow',
]);

export function startTraceFeed(client: QueryClient, socket: LiveSocket, id: string): () => void {
  const refresh = createThrottle(REFRESH_EVERY_MS, () => {
    void client.invalidateQueries({ queryKey: keys.trace(id), exact: true });
    void client.invalidateQueries({ queryKey: keys.detail(id), exact: true });
  });
  // Older events are in the trace, which is read after the session: their replay would only read it again.
  let last =
    client.getQueryData<SessionDetail>(keys.detail(id))?.last_event_id ??
    client.getQueryData<FeedState>(keys.feed(id))?.lastEventId ??
    null;
  const unsubscribe = socket.subscribe({
    channel: sessionChannel(id),
    accepts: (message: LiveMessage) => message.sessionId === id,
    onMessage: ({ type, eventId }) => {
      if (eventId !== null && (last === null || eventId > last)) last = eventId;
      if (refreshingTypes.has(type)) refresh.call();
    },
    lastEventId: () => last,
    onReconnect: refresh.call,
  });
  return () => {
    unsubscribe();
    refresh.stop();
  };
}
