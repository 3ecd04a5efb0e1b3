/** Memories: facts that people confirmed in reviews. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { count, list, nullableText, text, textOrEmpty } from './fields';
import { z } from './zod';

const source = z.object({
  session_id: text,
  title: nullableText,
  /** `confirms` or `contradicts`. */
  effect: textOrEmpty,
  review: textOrEmpty,
  reviewer: textOrEmpty,
  ended_at: textOrEmpty,
});

const memory = z.object({
  id: text,
  text,
  object: nullableText,
  category: nullableText,
  /** `active` or `retired`. */
  state: text,
  confirmations: count,
  contradictions: count,
  created_at: textOrEmpty,
  confirmed_at: textOrEmpty,
  /** Null for one that reviews alone made. */
  edited_by: nullableText,
  edited_at: nullableText,
  /** The newest first; at most 10. */
  sources: list(source),
});

const page = z.object({ memories: list(memory), next_cursor: nullableText });

export type Memory = z.infer<typeof memory>;
export type MemorySource = z.infer<typeof source>;

/** Empty values select everything. */
export interface MemoryQuery {
  readonly text: string;
  readonly state: string;
  readonly cursor: string;
}

export interface MemoryChange {
  readonly text?: string;
  readonly state?: string;
}

/** Characters; the API rejects longer texts. */
export const MAX_MEMORY = 500;

const PAGE_SIZE = 50;
/** Memories of one page of an export. */
const EXPORT_SIZE = 200;
/** The most pages of an export, which is 20,000 memories. */
const EXPORT_PAGES = 100;

export const memoryKeys = ['memories'] as const;

function listMemories(query: MemoryQuery, limit: number, signal?: AbortSignal) {
  const given = { q: query.text.trim(), state: query.state, cursor: query.cursor };
  const params = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
  params.set('limit', String(limit));
  return request(page, `${endpoints.memories}?${params}`, { signal });
}

export function memoriesQuery(query: MemoryQuery) {
  return queryOptions({
    queryKey: [...memoryKeys, query] as const,
    queryFn: ({ signal }) => listMemories(query, PAGE_SIZE, signal),
    placeholderData: keepPreviousData,
  });
}

/** All memories that pass the filter, page by page. */
export async function exportMemories(query: MemoryQuery): Promise<readonly Memory[]> {
  const all: Memory[] = [];
  let cursor = '';
  for (let pages = 0; pages < EXPORT_PAGES; pages += 1) {
    const next = await listMemories({ ...query, cursor }, EXPORT_SIZE);
    all.push(...next.memories);
    if (next.next_cursor === null) break;
    cursor = next.next_cursor;
  }
  return all;
}

export function changeMemory(id: string, body: MemoryChange) {
  return request(memory, endpoints.memory(id), { method: 'PATCH', body });
}

export function deleteMemory(id: string) {
  return request(z.null(), endpoints.memory(id), { method: 'DELETE' });
}
