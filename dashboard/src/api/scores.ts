/** How well sessions were investigated. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import {
  count,
  flag,
  list,
  nullableNumber,
  nullableText,
  text,
  textOrEmpty,
  withDefault,
} from './fields';
import { z } from './zod';

const checks = z.object({
  score: count,
  claims: count,
  unbacked_claims: count,
  calls: count,
  failed_calls: count,
  repeated_calls: count,
  budget_used_up: flag,
  looked: flag,
});

const score = z.object({
  id: text,
  number: count,
  /** `pending`, `in_progress`, `completed` or `failed`. */
  status: text,
  /** The lower of `model_score` and the score of `checks`. */
  score: nullableNumber,
  model_score: nullableNumber,
  analysis: nullableText,
  failure_tags: list(text),
  /** What code counts; null before it began. */
  checks: withDefault(z.nullish(checks), null),
  missing_tools: list(z.object({ name: text, why: textOrEmpty })),
  /** Why there is no score. */
  failure: nullableText,
  /** Why the tools that were missing are not known. */
  tools_failure: nullableText,
  requested_by: nullableText,
  provider: nullableText,
  model: nullableText,
  /** Only scores with the same one can be compared. */
  prompt_version: nullableText,
  llm_calls: count,
  total_tokens: count,
  cost_micro_usd: count,
  created_at: textOrEmpty,
});

const scores = z.object({ score: withDefault(z.nullish(score), null), history: list(score) });

export type Score = z.infer<typeof score>;
export type Scores = z.infer<typeof scores>;

export function getScores(session: string, signal?: AbortSignal) {
  return request(scores, endpoints.score(session), { signal });
}

/** Has a session scored, as its chain is configured now. */
export function requestScore(session: string) {
  return request(z.object({ score_id: text }), endpoints.score(session), { method: 'POST' });
}
