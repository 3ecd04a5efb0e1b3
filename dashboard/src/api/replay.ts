/** Replays: the alert of a session once more, with the results of its record. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { text } from './fields';
import { z } from './zod';

const created = z.object({ session_id: text });

/** Starts the investigation of the recorded incident that comes with the server. */
export function startDemo() {
  return request(created, endpoints.demo, { method: 'POST' });
}

/** Starts a replay. Null keeps the providers of the original. */
export function replaySession(id: string, provider: string | null) {
  const body = provider === null ? {} : { provider };
  return request(created, endpoints.replay(id), { method: 'POST', body });
}
