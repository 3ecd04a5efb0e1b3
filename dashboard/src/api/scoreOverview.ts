/** How well the sessions of some days were investigated. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { count, list, nullableNumber, text, textOrEmpty } from './fields';
import { z } from './zod';

const group = z.object({
  /** `all`, `chain`, `agent` or `provider`. */
  dimension: text,
  name: textOrEmpty,
  sessions: count,
  mean: count,
  /** Below 60. */
  low: count,
  days: list(z.object({ day: text, sessions: count, mean: count })),
});

const overview = z.object({
  groups: list(group),
  agreement: z.object({ sessions: count, agreeing: count, kappa: nullableNumber, needed: count }),
});

export type ScoreGroup = z.infer<typeof group>;
export type ScoreOverview = z.infer<typeof overview>;

export function getScoreOverview(from: string, to: string, signal?: AbortSignal) {
  const params = new URLSearchParams({ from, to });
  return request(overview, `${endpoints.scoreOverview}?${params}`, { signal });
}
