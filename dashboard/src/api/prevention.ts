/** What came again and again in a week. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { count, flag, list, nullableText, text, textOrEmpty } from './fields';
import { z } from './zod';

const sessions = {
  sessions: count,
  sessions_before: count,
  reviewed: count,
  last_at: text,
  last_session_id: text,
};

const cause = z.object({
  ...sessions,
  /** Of the verdict, such as `out_of_memory`, or as a reviewer wrote it. */
  category: textOrEmpty,
  /** Empty of an object that a reviewer named. */
  object_kind: textOrEmpty,
  object: textOrEmpty,
  namespace: nullableText,
  /** In the words of the newest session. */
  cause: textOrEmpty,
  /** Calls that were to change something, and those of them that worked. */
  actions: count,
  actions_worked: count,
});

const alert = z.object({
  ...sessions,
  fingerprint: nullableText,
  alert_type: nullableText,
  title: nullableText,
});

const tool = z.object({
  server: text,
  tool: textOrEmpty,
  calls: count,
  failed: count,
  calls_before: count,
  failed_before: count,
  /** `timeout`, `unreachable` …; null when its record is gone. */
  last_error_kind: nullableText,
  last_error: nullableText,
  last_session_id: nullableText,
});

const source = z.object({
  /** Empty for those beyond the number that is listed by name. */
  source: textOrEmpty,
  not_understood: count,
  not_understood_before: count,
  refused: count,
  refused_before: count,
  refusal_reasons: list(text),
  last_at: text,
});

const prevention = z.object({
  /** Null of the last seven days. */
  week: nullableText,
  previous_week: text,
  /** Null if it has not begun. */
  next_week: nullableText,
  from: text,
  to: text,
  sessions: count,
  sessions_before: count,
  is_cut: flag,
  causes: list(cause),
  alerts: list(alert),
  tools: list(tool),
  sources: list(source),
});

export type Prevention = z.infer<typeof prevention>;
export type RecurringCause = z.infer<typeof cause>;

/** Of a week such as `2026-W48`; of the last seven days without one. */
export function getPrevention(week: string, signal?: AbortSignal) {
  const query = week === '' ? '' : `?${new URLSearchParams({ week })}`;
  return request(prevention, `${endpoints.prevention}${query}`, { signal });
}
