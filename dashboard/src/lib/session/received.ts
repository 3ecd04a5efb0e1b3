/** Words for alerts of sources, and for what was decided about them. */
import type { Tone } from './status';

interface Described {
  readonly label: string;
  readonly tone: Tone;
}

const statuses: Readonly<Record<string, Described>> = {
  firing: { label: 'Firing', tone: 'error' },
  acknowledged: { label: 'Acknowledged', tone: 'info' },
  resolved: { label: 'Resolved', tone: 'success' },
};

/** The status that the source gave an alert; an unknown one is shown as it is. */
export function describeAlertStatus(status: string): Described {
  return statuses[status] ?? { label: status, tone: 'neutral' };
}

const contents: Readonly<Record<string, Described & { readonly meaning: string }>> = {
  test: {
    label: 'Test',
    tone: 'info',
    meaning: 'A test of the connection. It opens no session',
  },
  heartbeat: {
    label: 'Heartbeat',
    tone: 'info',
    meaning: 'Always firing, to show that the source works. It opens no session',
  },
  not_understood: {
    label: 'Not understood',
    tone: 'warning',
    meaning: 'No alert could be read from it. The raw text is kept',
  },
};

/** What an alert is, if it is no problem; null for a problem and for what this version does not know. */
export function describeContent(content: string) {
  return contents[content] ?? null;
}

const refusals: Readonly<Record<string, string>> = {
  unknown_source: 'there is no such source',
  unverified: 'the sender could not be verified',
  too_large: 'the body was too large',
  broken: 'the body broke off',
  busy: 'too much was being received at the time',
};

/** Why requests were refused; an unknown reason is shown as it is. */
export function describeRefusal(reason: string): string {
  return refusals[reason] ?? reason;
}

interface Decision {
  readonly label: string;
  readonly meaning: string;
}

/** What TARSy may decide about an alert, by the name in the API. */
const decisions: Readonly<Record<string, Decision>> = {
  open: { label: 'New session', meaning: 'A session was opened' },
  attach: {
    label: 'Added',
    meaning: 'Shown with a session, and given to its agents while they run',
  },
  fold: { label: 'Repeat', meaning: 'Counted with a session' },
  resolve: { label: 'Resolved', meaning: 'The session shows that it is resolved' },
  stop: { label: 'Stopped', meaning: 'Its session was stopped before it started' },
  hold: { label: 'Held', meaning: 'Decided later, if it is still firing' },
  ignore: { label: 'Ignored', meaning: 'Stored; nothing else is done' },
};

export const DECISIONS: readonly string[] = Object.keys(decisions);

export function describeDecision(action: string): Decision {
  return decisions[action] ?? { label: action, meaning: '' };
}

const reasons: Readonly<Record<string, string>> = {
  still_firing: 'Still firing.',
  session_open: 'Fired again while this session was open.',
  within_window: 'Fired again soon after this session.',
  same_group: 'Same group as this session.',
  same_labels: 'Same labels as an alert of this session (those that the policy lists).',
  resolved: 'Resolved. No other alert of this session is firing.',
  resolved_others_firing: 'Resolved. Other alerts of this session are still firing.',
  acknowledged: 'Acknowledged by a person.',
};

/** Why an alert is shown with this session; null for a reason that this version does not know. */
export function describeReason(reason: string | null): string | null {
  return reason === null ? null : (reasons[reason] ?? null);
}
