/** What a score says. */
import type { Tone } from './status';

/** As reviews say it: a person could act on it, it is right in part, it would mislead. */
export function scoreTone(score: number): Tone {
  if (score >= 80) return 'success';
  return score >= 60 ? 'warning' : 'error';
}

/** The least scores that lists are filtered by. */
export const LEAST_SCORES = ['80', '60'] as const;
