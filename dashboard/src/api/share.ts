/** Findings that are sent to a destination of notifications. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { text } from './fields';
import { z } from './zod';

const shared = z.object({ destination: text });

/** Sends the finding of a session that has ended to a destination, which gets it once. */
export function shareFinding(session: string, destination: string) {
  return request(shared, endpoints.share(session), { method: 'POST', body: { destination } });
}
