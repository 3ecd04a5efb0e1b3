/** The actions on several sessions. */
import { submissionOf, submitAlert } from '../../../api/alerts';
import { saveReview } from '../../../api/reviews';
import { cancelSession, getSession } from '../../../api/sessions';
import { changeTriage, type TriageChange } from '../../../api/triage';
import { randomKey } from '../../../lib/browser/randomKey';
import { describeReview } from '../../../lib/session/review';
import { describeTriage } from '../../../lib/session/triageLabels';
import type { BulkAction } from './useBulk';

export const cancel: BulkAction = {
  running: 'Cancelling…',
  run: async (session) => {
    await cancelSession(session);
    return { text: 'Cancellation requested' };
  },
};

/** The idempotency keys of re-runs without a known outcome: a repeated request then creates no second session. */
const keyOf = new Map<string, string>();

/** Submits the alert of a session again. */
export const rerun: BulkAction = {
  running: 'Submitting…',
  run: async (session) => {
    const key = keyOf.get(session) ?? randomKey();
    keyOf.set(session, key);
    const alert = submissionOf(await getSession(session));
    const { session_id: created } = await submitAlert(alert, key);
    keyOf.delete(session);
    return { text: 'Re-run started', created };
  },
};

export function markReviewed(review: string): BulkAction {
  return {
    running: 'Saving…',
    run: async (session) => {
      await saveReview(session, { review });
      return { text: `Reviewed: ${describeReview(review).label}` };
    },
  };
}

/** Of a session that another person has, it fails with who that is. */
export function triageAs(change: TriageChange): BulkAction {
  return {
    running: 'Saving…',
    run: async (session) => {
      const { triage, assignee } = await changeTriage(session, change);
      return { text: describeTriage(triage, assignee).label };
    },
  };
}
