/** Outcomes of sessions, each with a pattern of its own, so that no color is needed to tell them apart. */
import type { Overview, OverviewBucket } from '../../api/overview';
import type { Tone } from '../../lib/session/status';
import { pages, type Period } from '../../lib/browser/paths';

export const OUTCOMES = ['completed', 'failed', 'timed_out', 'cancelled', 'open'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const outcomeTones: Readonly<Record<Outcome, Tone>> = {
  completed: 'success',
  failed: 'error',
  timed_out: 'warning',
  cancelled: 'neutral',
  open: 'info',
};

export const outcomeLabels: Readonly<Record<Outcome, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  timed_out: 'Timed out',
  cancelled: 'Cancelled',
  open: 'In progress',
};

/** The `fill` of an outcome, which `OutcomePatterns` defines. */
export const patternOf = (outcome: Outcome) => `url(#tarsy-outcome-${outcome})`;

export function totalOf(bucket: OverviewBucket): number {
  return OUTCOMES.reduce((sum, outcome) => sum + bucket[outcome], 0);
}

/** The end of a period is not part of it; the list's is. */
function periodParams({ from, to }: Period): URLSearchParams {
  const until = new Date(new Date(to).getTime() - 1).toISOString();
  return new URLSearchParams({ from: new Date(from).toISOString(), to: until });
}

type Parameters = Readonly<Record<string, string>>;

/** The list of all sessions of some time, also those that have not ended; more parameters narrow it. */
export function listOf(period: Period, more: Parameters = {}): string {
  return listOfEnded(period, { open: 'true', ...more });
}

/** The list of those that have ended; more parameters narrow it or set its order. */
export function listOfEnded(period: Period, more: Parameters = {}): string {
  const params = periodParams(period);
  for (const [name, value] of Object.entries(more)) params.set(name, value);
  return `${pages.sessions}?${params}`;
}

/** The list of the sessions with an outcome. Those that are not finished are above every list. */
export function listOfOutcome(outcome: Outcome, period: Period): string {
  return outcome === 'open' ? pages.sessions : listOfEnded(period, { status: outcome });
}

/** A bucket with its time; those without sessions have no numbers. */
export interface Slot extends Period {
  readonly start: number;
  readonly bucket: OverviewBucket | undefined;
}

const MAX_SLOTS = 200;

/** One after the other, also those without sessions. */
export function slotsOf({ from, to, bucket_seconds: seconds, buckets }: Overview): readonly Slot[] {
  const known = new Map(buckets.map((bucket) => [new Date(bucket.start).getTime(), bucket]));
  const step = Math.max(1, seconds) * 1000;
  const end = new Date(to).getTime();
  const first = new Date(from).getTime();
  const length = Math.min(MAX_SLOTS, Math.ceil((end - first) / step));
  return Array.from({ length }, (_, index) => {
    const start = first + index * step;
    return {
      start,
      from: new Date(start).toISOString(),
      to: new Date(Math.min(end, start + step)).toISOString(),
      bucket: known.get(start),
    };
  });
}
