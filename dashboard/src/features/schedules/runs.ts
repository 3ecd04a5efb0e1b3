import type { ScheduleRun } from '../../api/schedules';
import { describeSession, type StatusDescription } from '../../lib/session/status';

/** Why no session began. */
const reasons: Readonly<Record<string, string>> = {
  missed: 'Missed',
  still_running: 'Skipped: the previous run was still going',
  tokens_used_up: 'Skipped: daily token limit reached',
};

const headlines: Readonly<Record<string, string>> = {
  no_fault_found: 'No fault found',
  not_examinable: 'Not examinable',
};

/** What became of a run, in a few words. */
export function describeRun({ outcome, status, verdict }: ScheduleRun): StatusDescription {
  const reason = reasons[outcome];
  if (reason !== undefined) return { label: reason, tone: 'warning' };
  if (status === null) return { label: 'Session deleted', tone: 'neutral' };
  const headline = verdict === null ? '' : (headlines[verdict] ?? verdict);
  const finding = verdict === null ? null : { outcome: verdict, headline, answer: '' };
  return describeSession({ status, waiting_for_approval: false, finding });
}

/** Which results are sent to the destinations of notifications. */
export const notifyLabels: Readonly<Record<string, string>> = {
  changed: 'Results that differ from the run before',
  problems: 'Causes and failures',
  always: 'All results',
  never: 'None',
};
