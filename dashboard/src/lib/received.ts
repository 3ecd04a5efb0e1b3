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
    meaning: 'A test of the connection: it starts nothing',
  },
  heartbeat: {
    label: 'Heartbeat',
    tone: 'info',
    meaning: 'It always fires, to show that the source works: it starts nothing',
  },
  not_understood: {
    label: 'Not understood',
    tone: 'warning',
    meaning: 'No alert could be read in it: the raw text is kept',
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
    meaning: 'It is shown with a session, and given to its agents while they run',
  },
  fold: { label: 'Repeat', meaning: 'It is counted with a session' },
  resolve: { label: 'Resolved', meaning: 'The session shows that it is over' },
  stop: { label: 'Stopped', meaning: 'Its session was stopped before it began' },
  hold: { label: 'Held', meaning: 'It is decided about later, if it still fires' },
  ignore: { label: 'Ignored', meaning: 'It is stored, and nothing else is done' },
};

export const DECISIONS: readonly string[] = Object.keys(decisions);

export function describeDecision(action: string): Decision {
  return decisions[action] ?? { label: action, meaning: '' };
}

const reasons: Readonly<Record<string, string>> = {
  still_firing: 'It still fires.',
  session_open: 'It began again while this session was open.',
  within_window: 'It began again soon after this session.',
  same_group: 'It belongs to the group of this session.',
  same_labels:
    'It has the same values as an alert of this session, of the labels that an operator listed.',
  resolved: 'It is over, and no other alert of this session fires.',
  resolved_others_firing: 'It is over. Other alerts of this session still fire.',
  acknowledged: 'A person works on it.',
};

/** Why an alert is shown with this session; null for a reason that this version does not know. */
export function describeReason(reason: string | null): string | null {
  return reason === null ? null : (reasons[reason] ?? null);
}
