/** What people think of the finding of a session. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { list, nullableText, text, textOrEmpty, withDefault } from './fields';
import { z } from './zod';

const review = z.object({
  review: text,
  actual_cause: nullableText,
  object: nullableText,
  category: nullableText,
  reviewer: textOrEmpty,
  reviewed_at: textOrEmpty,
});

const reviews = z.object({
  /** The one that counts. */
  review: withDefault(review, null),
  /** Those before it, the newest first. */
  history: list(review),
});

export type Review = z.infer<typeof review>;
export type Reviews = z.infer<typeof reviews>;

export interface NewReview {
  readonly review: string;
  readonly actual_cause?: string;
  readonly object?: string;
  readonly category?: string;
}

/** Characters; the API rejects longer texts. */
export const MAX_REVIEW_LENGTHS = { actual_cause: 2000, object: 200, category: 100 } as const;

export function getReviews(session: string, signal?: AbortSignal) {
  return request(reviews, endpoints.review(session), { signal });
}

export function saveReview(session: string, body: NewReview) {
  return request(review, endpoints.review(session), { method: 'PUT', body });
}
