/** What the audit log says, in words. */
import type { AuditEntry } from '../../api/auditLog';
import { humanize, inlineValue } from '../../lib/text/format';

const actions: Readonly<Record<string, string>> = {
  check_action: 'Check an action',
  decide_approval: 'Decide about a tool call',
  roll_back_action: 'Roll an action back',
  slack_interaction: 'Use a button in Slack',
  unlock: 'Unlock a browser',
};

export function describeAction(action: string): string {
  return actions[action] ?? humanize(action);
}

/** `Denied ops.rollout_undo (namespace=shop, name=checkout)`; null of an entry about anything else. */
export function describeDecision(entry: AuditEntry): string | null {
  const { decided, action_outcome: outcome, action_values: values, object } = entry;
  if (outcome !== null) {
    const shown = [
      values?.before && `${values.before} before`,
      values?.after && `${values.after} after`,
    ];
    const known = shown.filter(Boolean).join(', ');
    const checked = `Checked ${object ?? 'an action'}: ${outcome.replaceAll('_', ' ')}`;
    return known === '' ? checked : `${checked} (${known})`;
  }
  if (decided === null) return null;
  const verb = decided.decision === 'approved' ? 'Approved' : 'Denied';
  const given = inlineValue(decided.arguments);
  return `${verb} ${decided.tool}${given === '' ? '' : ` (${given.replaceAll('  ', ', ')})`}`;
}

/** Of a request; a person who denies a tool call is another matter. */
const outcomes: Readonly<Record<string, string>> = {
  allowed: 'Accepted',
  denied: 'Refused',
  failed: 'Failed',
};

export function describeOutcome(outcome: string): string {
  return outcomes[outcome] ?? humanize(outcome);
}
