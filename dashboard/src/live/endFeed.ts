/** Reports the sessions that end, from the channel of all sessions. */
import { isTerminal } from '../lib/session/status';
import { SESSIONS_CHANNEL } from './messages';
import type { LiveSocket } from './socket';

/** Messages may be delivered twice: each session is reported once. */
export function startEndFeed(socket: LiveSocket, onEnd: (session: string) => void): () => void {
  const ended = new Set<string>();
  return socket.subscribe({
    channel: SESSIONS_CHANNEL,
    accepts: (message) => message.type === 'session.status',
    onMessage: ({ body, sessionId }) => {
      if (body?.type !== 'session.status' || sessionId === null) return;
      if (!isTerminal(body.status) || ended.has(sessionId)) return;
      ended.add(sessionId);
      onEnd(sessionId);
    },
    lastEventId: () => null,
  });
}
