/** The audit log: who changed, was denied or read a trace. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { count, list, nullableText, orNull, text, textOrEmpty } from './fields';
import { z } from './zod';

const decided = z.object({
  /** `server.tool`. */
  tool: text,
  /** `approved` or `denied`. */
  decision: text,
  /** Null once the session is deleted. */
  arguments: z.optional(z.unknown()),
  event_id: nullableText,
});

const entry = z.object({
  id: text,
  created_at: textOrEmpty,
  principal: textOrEmpty,
  credential: textOrEmpty,
  client_address: nullableText,
  action: textOrEmpty,
  object: nullableText,
  outcome: textOrEmpty,
  status: count,
  request_id: nullableText,
  /** How many requests it stands for: those of an address that nobody was identified for are counted. */
  count,
  session_id: nullableText,
  /** Null once the session is deleted. */
  session_title: nullableText,
  /** The decision about a tool call that the request made. */
  decided: orNull(decided),
  /** What became of an action; `object` is its tool. */
  action_outcome: nullableText,
  /** What was read before and after the action; null once the session is deleted. */
  action_values: orNull(z.object({ before: nullableText, after: nullableText })),
});

export type AuditEntry = z.infer<typeof entry>;

/** Empty values select everything. */
export interface AuditQuery {
  readonly principal: string;
  readonly action: string;
  readonly outcome: string;
  /** RFC 3339 times. */
  readonly since: string;
  readonly until: string;
  /** Only entries older than the one with this id. */
  readonly before: string;
  readonly limit: number;
}

export function getAuditLog(query: AuditQuery, signal?: AbortSignal) {
  const given = {
    principal: query.principal,
    action: query.action,
    outcome: query.outcome,
    start_date: query.since,
    end_date: query.until,
    before: query.before,
    limit: String(query.limit),
  };
  const params = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
  return request(
    z.object({ entries: list(entry), actions: list(text) }),
    `${endpoints.auditLog}?${params}`,
    { signal },
  );
}
