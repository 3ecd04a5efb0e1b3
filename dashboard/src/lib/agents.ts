/** How the agents of a stage are called. */

interface Agent {
  readonly agent_name: string;
  readonly agent_index: number;
}

/** The name of one of a stage's agents; equal ones are told apart by their place. */
export function agentName<T extends Agent>(agent: T, all: readonly T[]): string {
  const twin = all.some((other) => other !== agent && other.agent_name === agent.agent_name);
  return twin ? `${agent.agent_name} ${agent.agent_index}` : agent.agent_name;
}
