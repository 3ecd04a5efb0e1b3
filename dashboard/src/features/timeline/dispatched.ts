import { createContext, useContext } from 'react';
import type { Execution, Stage } from '../../api/sessions';

export const StagesContext = createContext<readonly Stage[]>([]);

/** The agent that a call dispatched; null for any other call, and before the session is loaded anew. */
export function useDispatched(id: string | null): Execution | null {
  const stages = useContext(StagesContext);
  if (id === null) return null;
  const executions = stages.flatMap(({ executions: all }) => all);
  return executions.find(({ execution_id }) => execution_id === id) ?? null;
}
