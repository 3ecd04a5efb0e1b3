/** The state of work of people on a session, and their notes. */
import { queryOptions } from '@tanstack/react-query';
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { list, nullableText, text, textOrEmpty } from './fields';
import { keys } from './keys';
import { z } from './zod';

const entry = z.object({
  id: text,
  /** The state that it set; null for a note alone. */
  triage: nullableText,
  assignee: nullableText,
  note: nullableText,
  /** Null when a later alert of the same problem did it. */
  author: nullableText,
  created_at: textOrEmpty,
});

const triage = z.object({
  /** `new`, `taken` or `done`. */
  triage: text,
  assignee: nullableText,
  /** The newest first. */
  entries: list(entry),
});

export type Triage = z.infer<typeof triage>;
export type TriageEntry = z.infer<typeof entry>;

export interface TriageChange {
  /** A request that is sent again with the same id changes nothing. */
  readonly id?: string;
  readonly triage?: string;
  readonly assignee?: string;
  readonly note?: string;
  /** Whether to change what another person has taken or done. */
  readonly take_over?: boolean;
}

/** Characters; the API rejects longer texts. */
export const MAX_NOTE_LENGTH = 4000;
export const MAX_ASSIGNEE_LENGTH = 200;

const path = (session: string) => `${endpoints.session(session)}/triage`;

/** Read again with the session: a change of it is an event of the session. */
export function triageQuery(session: string) {
  return queryOptions({
    queryKey: [...keys.detail(session), 'triage'] as const,
    queryFn: ({ signal }) => request(triage, path(session), { signal }),
  });
}

export function changeTriage(session: string, body: TriageChange) {
  return request(triage, path(session), { method: 'POST', body });
}
