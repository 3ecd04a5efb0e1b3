/** Alerts of sources, such as Alertmanager, and what was decided about each. */
import { endpoints } from '../lib/browser/paths';
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
  /** `problem`, `test`, `heartbeat` or `not_understood`. */
  content: textOrEmpty,
  /** What was repaired, cut or left out, a sentence each. */
  notes: list(text),
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

/** Requests of sources that were refused in a minute for one reason. */
const refusedRequests = z.object({
  minute: text,
  /** As the request named it; empty for those that were too many to be told apart. */
  source: textOrEmpty,
  /** The address of the client; empty as above. */
  sender: textOrEmpty,
  /** `unknown_source`, `unverified`, `too_large`, `broken` or `busy`. */
  reason: textOrEmpty,
  requests: count,
});

const refused = z.object({ refused: list(refusedRequests) });

export type RefusedRequests = z.infer<typeof refusedRequests>;
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

/** What was refused, the newest first. None from an API that does not count it. */
export async function listRefused(signal?: AbortSignal): Promise<readonly RefusedRequests[]> {
  try {
    return (await request(refused, endpoints.refusedRequests, { signal })).refused;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
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
