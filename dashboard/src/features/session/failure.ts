/** Why a session failed, in the words of an operator. */
import type { SessionDetail } from '../../api/sessions';
import { explanationOf, whyFailed, type Explained } from '../../lib/session/failure';

export interface Failed {
  readonly reason: string;
  /** The stage, agent and provider where it happened; empty if none of them is known. */
  readonly place: string;
  /** The provider that failed; null if it was something else. */
  readonly provider: string | null;
  /** What to do; empty in a record without facts. */
  readonly remedy: string;
  /** The document that says more. */
  readonly explained: Explained | null;
}

/** Null if no reason was recorded. */
export function describeFailure(session: SessionDetail): Failed | null {
  const { failure, stages } = session;
  const reason = whyFailed(session);
  if (reason === null) return null;
  if (failure === null) return { reason, place: '', provider: null, remedy: '', explained: null };
  const { stage, agent, provider, remedy } = failure;
  const failed = stages.flatMap(({ executions }) =>
    executions.filter((execution) => execution.failure !== null),
  ).length;
  const places = [
    stage && `Stage ${stage}`,
    agent && `agent ${agent}`,
    provider && `provider ${provider}`,
    failed > 1 && `${failed - 1} more failed`,
  ];
  return {
    reason,
    place: places.filter(Boolean).join(' · '),
    provider,
    remedy,
    explained: explanationOf(failure),
  };
}
