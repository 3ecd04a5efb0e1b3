import { showBidiControls } from './bidi';

interface Agent {
  readonly agent_name: string;
  readonly agent_index: number;
}

/** The display name of an agent; agents of one stage with the same name get their index appended. */
export function agentName<T extends Agent>(agent: T, all: readonly T[]): string {
  const duplicate = all.some((other) => other !== agent && other.agent_name === agent.agent_name);
  const name = showBidiControls(agent.agent_name);
  return duplicate ? `${name} #${agent.agent_index}` : name;
}

interface Provided {
  readonly llm_provider: string | null;
  readonly active_provider: string | null;
}

/** Who writes the texts of these agents: `model`, `rules` for the offline analyst alone, or null before an agent has a provider. */
export function writerOf(agents: readonly Provided[]): 'model' | 'rules' | null {
  const providers = agents.flatMap((agent) => agent.active_provider ?? agent.llm_provider ?? []);
  if (providers.length === 0) return null;
  return providers.every((provider) => provider === 'offline') ? 'rules' : 'model';
}

interface Ended {
  readonly status: string;
  readonly error_message: string | null;
}

/** Why an agent failed; null without an error. */
export function agentError({ status, error_message: error }: Ended): string | null {
  return status === 'timed_out' && error ? `Agent timed out: ${error}` : error;
}
