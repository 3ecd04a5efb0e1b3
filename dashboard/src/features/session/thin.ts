/** Why a finding may say less than it could. */
import type { SessionDetail } from '../../api/sessions';
import { limitLabel } from '../../lib/session/budget';
import { formatCost, formatExact } from '../../lib/text/format';

const failures: Readonly<Record<string, string>> = {
  failed: 'No structured finding: the model could not be called for it.',
  timed_out: 'No structured finding: the time was over before the model wrote it.',
  invalid: 'No structured finding: the model twice wrote one that is not valid.',
  no_model: 'No structured finding: no model was available to write it.',
};

/** Sentences; none of a session that runs, and of one that had all it needed. */
export function thinReasons(session: SessionDetail): readonly string[] {
  if (session.status !== 'completed') return [];
  return [...verdictReasons(session), ...budgetReasons(session), ...fallbackReasons(session)];
}

function verdictReasons({ verdict, verdict_failure: failure }: SessionDetail): readonly string[] {
  const reason = verdict === null && failure !== null ? failures[failure] : undefined;
  return reason === undefined ? [] : [reason];
}

/** Where it ended an agent's work, the degraded reasons have it already. */
function budgetReasons({ budget, degraded_reasons: stated }: SessionDetail): readonly string[] {
  if (budget === null || stated.includes('budget_used_up')) return [];
  return Object.entries(budget).flatMap(([name, part]) => {
    if (!part || part.limit <= 0 || part.used < part.limit) return [];
    const format = name === 'cost_micro_usd' ? formatCost : formatExact;
    return `The budget of ${limitLabel(name)} was used up (${format(part.used)} of ${format(part.limit)}).`;
  });
}

function fallbackReasons({ stages }: SessionDetail): readonly string[] {
  const switched = stages
    .flatMap(({ executions }) => executions)
    .filter(({ llm_provider: first, active_provider: last }) => first && last && first !== last)
    .map(({ llm_provider: first, active_provider: last }) => `${first} failed; ${last} answered.`);
  return [...new Set(switched)];
}
