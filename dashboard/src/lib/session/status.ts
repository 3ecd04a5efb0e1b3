/** Labels and colors for the statuses of sessions, stages, executions and timeline events. */

export type Tone = 'neutral' | 'info' | 'success' | 'warning' | 'error';

export interface StatusDescription {
  readonly label: string;
  readonly tone: Tone;
}

const descriptions: Readonly<Record<string, StatusDescription>> = {
  queued: { label: 'Queued', tone: 'neutral' },
  pending: { label: 'Queued', tone: 'neutral' },
  in_progress: { label: 'In progress', tone: 'info' },
  waiting_for_approval: { label: 'Waiting for approval', tone: 'warning' },
  active: { label: 'Running', tone: 'info' },
  started: { label: 'Running', tone: 'info' },
  streaming: { label: 'Running', tone: 'info' },
  cancelling: { label: 'Cancelling', tone: 'warning' },
  completed: { label: 'Completed', tone: 'success' },
  failed: { label: 'Failed', tone: 'error' },
  timed_out: { label: 'Timed out', tone: 'warning' },
  cancelled: { label: 'Cancelled', tone: 'neutral' },
  unknown: { label: 'Outcome unknown', tone: 'warning' },
};

/** An unknown status gets a label made from its name. */
export function describeStatus(status: string): StatusDescription {
  const known = descriptions[status];
  if (known) return known;
  const text = status.replaceAll('_', ' ');
  return { label: text.charAt(0).toUpperCase() + text.slice(1), tone: 'neutral' };
}

/** The status to show of a session in a list: nobody works on one that waits for approval. */
export function listedStatus(session: {
  readonly status: string;
  readonly waiting_for_approval: boolean;
}): string {
  const waits = session.status === 'in_progress' && session.waiting_for_approval;
  return waits ? 'waiting_for_approval' : session.status;
}

/** What an investigation found, in a line. */
export interface FindingSummary {
  /** `cause_found`, `no_fault_found` or `not_examinable`. */
  readonly outcome: string;
  /** The cause, or that none was found. */
  readonly headline: string;
  /** What became of the alert's own statement, in a sentence; may be empty. */
  readonly answer: string;
}

interface Listed {
  readonly status: string;
  readonly waiting_for_approval: boolean;
  readonly finding: FindingSummary | null;
}

/** What became of a session. Only one that found a cause has a green tick. */
export function describeSession(session: Listed): StatusDescription {
  const shown = describeStatus(listedStatus(session));
  if (session.status !== 'completed') return shown;
  const { finding } = session;
  if (finding === null) return { ...shown, tone: 'neutral' };
  return finding.outcome === 'cause_found'
    ? { label: 'Cause found', tone: 'success' }
    : { label: finding.headline, tone: 'neutral' };
}

/** The cause, or what became of the alert. */
export function findingLine({ outcome, headline, answer }: FindingSummary): string {
  return outcome === 'cause_found' || answer === '' ? headline : answer;
}

export const TERMINAL = ['completed', 'failed', 'timed_out', 'cancelled'] as const;

const terminal: ReadonlySet<string> = new Set(TERMINAL);

export function isTerminal(status: string): boolean {
  return terminal.has(status);
}

const running: ReadonlySet<string> = new Set([
  'in_progress',
  'active',
  'started',
  'streaming',
  'cancelling',
]);

export function isRunning(status: string): boolean {
  return running.has(status);
}
