/** Why a session failed, in the words of an operator. */
import type { SessionDetail } from '../../api/sessions';
import { explanationOf, isModelError, readableError, type Explained } from '../../lib/failure';

export interface Failed {
  readonly reason: string;
  /** The stage, agent and provider where it happened; empty if no agent failed. */
  readonly place: string;
  /** The provider that did not answer; null if it was something else. */
  readonly provider: string | null;
  /** The document that says what to do. */
  readonly explained: Explained | null;
}

/** Null if no message was recorded. */
export function describeFailure({ error_message: message, stages }: SessionDetail): Failed | null {
  const failed = stages.flatMap(({ stage_name: stage, executions }) =>
    executions
      .filter(({ error_message: error }) => error !== null && (message?.includes(error) ?? true))
      .map((execution) => ({ stage, ...execution })),
  );
  const [first] = failed;
  if (first === undefined || first.error_message === null) {
    if (message === null) return null;
    const explained = explanationOf(message);
    return { reason: readableError(message), place: '', provider: null, explained };
  }
  const { stage, agent_name: agent, error_message: error } = first;
  const provider = first.active_provider ?? first.llm_provider;
  const places = [`Stage ${stage}`, `agent ${agent}`, provider && `provider ${provider}`];
  const others = failed.length > 1 ? `${failed.length - 1} more failed` : null;
  return {
    reason: readableError(error),
    place: [...places, others].filter(Boolean).join(' · '),
    provider: isModelError(error) ? provider : null,
    explained: explanationOf(error),
  };
}
