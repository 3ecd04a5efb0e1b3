/** Why a session failed, in the words of an operator. */
import type { SessionDetail } from '../../api/sessions';

export interface Failed {
  readonly reason: string;
  /** The stage, agent and provider where it happened; empty if no agent failed. */
  readonly place: string;
  /** The provider that did not answer; null if it was something else. */
  readonly provider: string | null;
}

/** How the server begins the reason of an agent whose provider failed. */
const noModel = 'the model could not be used: ';

/** Null if no message was recorded. */
export function describeFailure({ error_message: message, stages }: SessionDetail): Failed | null {
  const failed = stages.flatMap(({ stage_name: stage, executions }) =>
    executions
      .filter(({ error_message: error }) => error !== null && (message?.includes(error) ?? true))
      .map((execution) => ({ stage, ...execution })),
  );
  const [first] = failed;
  if (first === undefined || first.error_message === null) {
    return message === null ? null : { reason: message, place: '', provider: null };
  }
  const { stage, agent_name: agent, error_message: error } = first;
  const provider = first.active_provider ?? first.llm_provider;
  const places = [`Stage ${stage}`, `agent ${agent}`, provider && `provider ${provider}`];
  const others = failed.length > 1 ? `${failed.length - 1} more failed` : null;
  const isModel = error.startsWith(noModel);
  return {
    reason: isModel ? `The model did not answer: ${error.slice(noModel.length)}` : error,
    place: [...places, others].filter(Boolean).join(' · '),
    provider: isModel ? provider : null,
  };
}
