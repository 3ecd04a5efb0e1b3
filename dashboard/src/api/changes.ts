/** What changed in the systems that alerts are about. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { list, nullableText, text, textOrEmpty } from './fields';
import { z } from './zod';

export const change = z.object({
  id: text,
  source: textOrEmpty,
  kind: textOrEmpty,
  object: nullableText,
  service: nullableText,
  namespace: nullableText,
  host: nullableText,
  environment: nullableText,
  author: nullableText,
  link: nullableText,
  text: textOrEmpty,
  occurred_at: textOrEmpty,
});

export type Change = z.infer<typeof change>;

const changes = z.object({ changes: list(change) });

/** The newest changes of a time, at most 200. */
export function listChanges(since: string, until: string, signal?: AbortSignal) {
  const params = new URLSearchParams({ since, until, limit: '200' });
  return request(changes, `${endpoints.changes}?${params}`, { signal });
}
