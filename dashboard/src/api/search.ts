/** The search over alerts, findings, tool calls and chats. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { count, list, nullableNumber, nullableText, textOrEmpty } from './fields';
import { filterParams, sessionItem, type SessionFilter } from './sessions';
import { z } from './zod';

const match = z.object({
  kind: textOrEmpty,
  timeline_event_id: nullableText,
  call_number: nullableNumber,
  excerpt: textOrEmpty,
  /** In UTF-16 code units of the excerpt. */
  ranges: list(z.object({ start: count, end: count })),
});

const page = z.object({
  hits: list(z.object({ session: sessionItem, matches: list(match) })),
  next_cursor: nullableText,
});

export type SearchMatch = z.infer<typeof match>;
export type SearchHit = z.infer<typeof page>['hits'][number];
export type SearchPage = z.infer<typeof page>;

/** Empty values select everything. */
export interface SearchQuery extends SessionFilter {
  readonly text: string;
}

export function search(
  query: SearchQuery,
  { cursor = '', limit = 20, signal }: { cursor?: string; limit?: number; signal?: AbortSignal },
) {
  const given = {
    ...filterParams(query),
    q: query.text,
    cursor,
    limit: String(limit),
  };
  const params = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
  return request(page, `${endpoints.search}?${params}`, { signal });
}
