/** What the states of work are called. Apart from the states, which the list needs before it is shown. */
import type { Tone } from './status';
import { TRIAGE } from './triage';

interface TriageDescription {
  readonly label: string;
  readonly tone: Tone;
}

/** An unknown word is its own label. */
export function describeTriage(triage: string, assignee: string | null): TriageDescription {
  const by = assignee === null ? '' : ` by ${assignee}`;
  if (triage === 'new') return { label: 'New', tone: 'neutral' };
  if (triage === 'taken') return { label: `Taken${by}`, tone: 'info' };
  if (triage === 'done') return { label: `Done${by}`, tone: 'success' };
  return { label: triage, tone: 'neutral' };
}

/** The values of the filter for states of work. */
export const triageOptions = TRIAGE.map((value) => ({
  value,
  label: describeTriage(value, null).label,
}));
