import { agentName } from '../../lib/session/agents';
import { Secondary } from '../../ui/layout/Secondary';
import { AgentHeader } from './AgentHeader';
import type { Lane } from './groups';
import { ItemList } from './ItemList';

export interface LanesProps {
  readonly lanes: readonly Lane[];
}

export function laneName(lane: Lane, lanes: readonly Lane[]): string {
  return agentName(
    lane.execution,
    lanes.map(({ execution }) => execution),
  );
}

/** The steps of one agent of a parallel stage. */
export function LaneBody({ lane, name }: { readonly lane: Lane; readonly name: string }) {
  const { execution, items } = lane;
  return (
    <>
      <AgentHeader execution={execution} name={name} />
      {items.length > 0 ? (
        <ItemList items={items} label={`Steps of ${name}`} />
      ) : (
        <Secondary>{execution.error_message ? 'No steps.' : 'No steps yet.'}</Secondary>
      )}
    </>
  );
}
