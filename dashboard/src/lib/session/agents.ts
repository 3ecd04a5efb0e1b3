import { showBidiControls } from '../text/bidi';
import { whyFailed, type FailureFacts } from './failure';
import { approximate, formatCount } from '../text/format';

interface Agent {
  readonly agent_name: string;
  readonly agent_index: number;
  readonly parent_execution_id?: string | null;
}

/** The agents of a stage, without those that they dispatched. */
export function ofStage<T extends Agent>(agents: readonly T[]): readonly T[] {
  return agents.filter(({ parent_execution_id: parent }) => !parent);
}

/** The display name of an agent; agents of one stage with the same name get their index appended, dispatched ones an arrow. */
export function agentName<T extends Agent>(agent: T, all: readonly T[]): string {
  const duplicate = all.some((other) => other !== agent && other.agent_name === agent.agent_name);
  const name = (agent.parent_execution_id ? '↳ ' : '') + showBidiControls(agent.agent_name);
  return duplicate ? `${name} #${agent.agent_index}` : name;
}

interface Provided {
  readonly llm_provider: string | null;
  readonly active_provider: string | null;
  readonly by_rules: boolean;
}

export type Writer = 'model' | 'rules' | 'both';

/** Who writes the texts of these agents: models, the rules of the offline analyst, or both; null before an agent has a provider. */
export function writerOf(agents: readonly Provided[]): Writer | null {
  const provided = agents.filter((agent) => agent.active_provider ?? agent.llm_provider);
  if (provided.length === 0) return null;
  const byRules = provided.filter((agent) => agent.by_rules).length;
  if (byRules === 0) return 'model';
  return byRules === provided.length ? 'rules' : 'both';
}

/** Whether the offline analyst looked before a model did. */
export function rulesLookedFirst(
  stages: readonly { readonly executions: readonly Provided[] }[],
): boolean {
  const writers = stages.map(({ executions }) => writerOf(executions));
  return writers[0] === 'rules' && writers.some((writer) => writer === 'model');
}

interface Counted {
  readonly total_tokens: number;
  readonly tokens_estimated: boolean;
}

/** `12.3k tokens` of an agent, `about 12.3k tokens` where a part is estimated; null without any. */
export function describeTokens(agent: Counted): string | null {
  if (agent.total_tokens <= 0) return null;
  return approximate(`${formatCount(agent.total_tokens)} tokens`, agent.tokens_estimated);
}

interface Ended {
  readonly status: string;
  readonly error_message: string | null;
  readonly failure: FailureFacts | null;
}

/** Why an agent failed; null without an error. */
export function agentError({ status, ...ended }: Ended): string | null {
  const { failure, error_message: error } = ended;
  if (status !== 'timed_out') return whyFailed(ended);
  const reason = failure?.reason ?? error;
  return reason ? `Agent timed out: ${reason}` : null;
}
