/** Alerts of sources, such as Alertmanager, and what was decided about each. */
import { endpoints } from '../lib/paths';
import { request } from './client';
import { ApiError } from './errors';
import {
  count,
  list,
  nullableNumber,
  nullableText,
  text,
  textOrEmpty,
  withDefault,
} from './fields';
import { z } from './zod';

const texts = withDefault(z.catch(z.nullish(z.record(z.string(), z.string())), {}), {});

const receivedAlert = z.object({
  id: text,
  source: textOrEmpty,
  fingerprint: textOrEmpty,
  /** `firing`, `acknowledged` or `resolved`. */
  status: textOrEmpty,
  title: textOrEmpty,
  severity: nullableText,
  service: nullableText,
  namespace: nullableText,
  cluster: nullableText,
  labels: texts,
  annotations: texts,
  links: list(z.object({ title: text, url: text })),
  starts_at: nullableText,
  ends_at: nullableText,
  alert_type: nullableText,
  /** The rule that gave it its type; null without one. */
  rule: nullableText,
  /** `open`, `attach`, `fold`, `resolve`, `stop`, `hold` or `ignore`. */
  action: textOrEmpty,
  /** One sentence without a full stop: why this was decided. */
  explanation: textOrEmpty,
  session_id: nullableText,
  received_at: textOrEmpty,
  /** How often the source sent it again. */
  repeats: count,
  last_received_at: textOrEmpty,
  /** When a held alert was decided about anew. */
  released_at: nullableText,
});

const receivedAlerts = z.object({
  alerts: list(receivedAlert),
  /** The older ones come before this number; null if there are none. */
  next_before: nullableNumber,
});

export type ReceivedAlert = z.infer<typeof receivedAlert>;
export type ReceivedAlerts = z.infer<typeof receivedAlerts>;

/** Empty values select everything. */
export interface ReceivedQuery {
  readonly source: string;
  readonly action: string;
  /** A `next_before`; empty for the newest. */
  readonly before: string;
  readonly limit: number;
}

function search(values: Readonly<Record<string, string>>): URLSearchParams {
  return new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
}

export function listReceivedAlerts(query: ReceivedQuery, signal?: AbortSignal) {
  const { source, action, before, limit } = query;
  const params = search({ source, action, before, limit: String(limit) });
  return request(receivedAlerts, `${endpoints.receivedAlerts}?${params}`, { signal });
}

/** The alerts that a session is about, the newest first. None from an API that does not have them. */
export async function listSessionAlerts(
  session: string,
  before: number | null,
  signal?: AbortSignal,
): Promise<ReceivedAlerts> {
  const params = search({ before: before === null ? '' : String(before), limit: '20' });
  try {
    return await request(receivedAlerts, `${endpoints.sessionAlerts(session)}?${params}`, {
      signal,
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { alerts: [], next_before: null };
    throw error;
  }
}
