/** Outcomes of sessions, each with a pattern of its own, so that no color is needed to tell them apart. */
import type { OverviewBucket } from '../../api/overview';
import type { Tone } from '../../lib/status';
import { pages } from '../../lib/paths';

export const OUTCOMES = ['completed', 'failed', 'timed_out', 'cancelled', 'open'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const tones: Readonly<Record<Outcome, Tone>> = {
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
  open: 'Not over',
};

const patterns: Readonly<Record<Outcome, (color: string) => string>> = {
  completed: (color) => color,
  failed: (color) => `repeating-linear-gradient(45deg, ${color} 0 4px, transparent 4px 7px)`,
  timed_out: (color) => `repeating-linear-gradient(0deg, ${color} 0 3px, transparent 3px 6px)`,
  cancelled: (color) => `repeating-linear-gradient(90deg, ${color} 0 2px, transparent 2px 5px)`,
  open: (color) => `radial-gradient(${color} 1.5px, transparent 1.5px) 0 0 / 5px 5px`,
};

/** The `background` of an outcome. */
export function outcomePattern(outcome: Outcome): string {
  return patterns[outcome](`var(--tarsy-${tones[outcome]}-fg)`);
}

export function totalOf(bucket: OverviewBucket): number {
  return OUTCOMES.reduce((sum, outcome) => sum + bucket[outcome], 0);
}

/** The list of the sessions with an outcome. Those that are not over are above every list. */
export function listOf(outcome: Outcome | null, from: string, to: string): string {
  if (outcome === 'open') return pages.sessions;
  const until = new Date(new Date(to).getTime() - 1).toISOString();
  const params = new URLSearchParams({ from: new Date(from).toISOString(), to: until });
  if (outcome !== null) params.set('status', outcome);
  return `${pages.sessions}?${params}`;
}

/** When a bucket ends. */
export function endOf(bucket: OverviewBucket, seconds: number): string {
  return new Date(new Date(bucket.start).getTime() + seconds * 1000).toISOString();
}
