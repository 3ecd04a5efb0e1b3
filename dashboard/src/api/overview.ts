/** All sessions of some time in numbers. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { count, list, nullableNumber, nullableText, text, textOrEmpty } from './fields';
import { z } from './zod';

const bucket = z.object({
  start: text,
  open: count,
  completed: count,
  failed: count,
  timed_out: count,
  cancelled: count,
  degraded: count,
  total_tokens: count,
  /** Millionths of a US dollar; null when no call has a price. */
  cost_micro_usd: nullableNumber,
});

const overview = z.object({
  from: text,
  to: text,
  bucket_seconds: count,
  buckets: list(bucket),
  duration_p50_ms: nullableNumber,
  duration_p95_ms: nullableNumber,
  tools: list(z.object({ server: text, tool: textOrEmpty, calls: count, failed: count })),
  alerts: list(z.object({ fingerprint: text, title: nullableText, sessions: count })),
  costs: list(
    z.object({
      dimension: text,
      name: text,
      sessions: count,
      total_tokens: count,
      cost_micro_usd: nullableNumber,
      unpriced_calls: count,
    }),
  ),
  pending: count,
  running: count,
});

export type Overview = z.infer<typeof overview>;
export type OverviewBucket = z.infer<typeof bucket>;

export function getOverview(hours: number, signal?: AbortSignal) {
  const to = new Date();
  const from = new Date(to.getTime() - hours * 3_600_000);
  const params = new URLSearchParams({ from: from.toISOString(), to: to.toISOString() });
  return request(overview, `${endpoints.overview}?${params}`, { signal });
}
