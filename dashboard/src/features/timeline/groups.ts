/** Groups the timeline by stage, and the items of a parallel stage by agent. */
import type { Execution, Stage } from '../../api/sessions';
import type { TimelineItem } from '../../live/reduce';
import { isTerminal } from '../../lib/session/status';
import { readMeta } from './itemMeta';

export interface StageGroup {
  readonly key: string;
  /** Null for session-level items, and for a stage that has not been loaded yet. */
  readonly stage: Stage | null;
  readonly items: readonly TimelineItem[];
}

/** The items of one agent of a parallel stage. */
export interface Lane {
  readonly execution: Execution;
  readonly items: readonly TimelineItem[];
}

export interface ItemWithSummary {
  readonly item: TimelineItem;
  /** The summary of a long tool result. */
  readonly summary: TimelineItem | undefined;
}

/** Groups in the order of their first item; running parallel stages without items come last. */
export function groupByStage(
  items: readonly TimelineItem[],
  stages: readonly Stage[],
): readonly StageGroup[] {
  const byId = new Map(stages.map((stage) => [stage.id, stage]));
  const groups = new Map<string, TimelineItem[]>();
  let sessionKey: string | null = null;
  for (const item of items) {
    const key: string = item.stage_id ?? sessionKey ?? `session-${item.id}`;
    sessionKey = item.stage_id === null ? key : null;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  for (const stage of stages) {
    if (stage.executions.length > 1 && !isTerminal(stage.status) && !groups.has(stage.id)) {
      groups.set(stage.id, []);
    }
  }
  return Array.from(groups, ([key, group]) => ({
    key,
    stage: byId.get(key) ?? null,
    items: group,
  }));
}

/** A `groupByStage` that returns the previous object for an unchanged group, for memoized components. */
export function createStageGrouper() {
  let previous = new Map<string, StageGroup>();
  return (items: readonly TimelineItem[], stages: readonly Stage[]): readonly StageGroup[] => {
    const groups = groupByStage(items, stages).map((group) => {
      const old = previous.get(group.key);
      return old && old.stage === group.stage && sameItems(old.items, group.items) ? old : group;
    });
    previous = new Map(groups.map((group) => [group.key, group]));
    return groups;
  };
}

function sameItems(one: readonly TimelineItem[], other: readonly TimelineItem[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

/** True for a stage with several agents. Live items may show that before the stage is loaded. */
export function isParallel({ stage, items }: StageGroup): boolean {
  if (stage !== null && stage.chat_id !== null) return false;
  if (stage !== null && (stage.expected_agent_count > 1 || stage.executions.length > 1)) {
    return true;
  }
  const first = items.find((item) => item.execution_id !== null)?.execution_id;
  return items.some((item) => item.execution_id !== null && item.execution_id !== first);
}

export interface Lanes {
  readonly lanes: readonly Lane[];
  /** Items without an execution. */
  readonly shared: readonly TimelineItem[];
}

export function splitLanes({ stage, items }: StageGroup): Lanes {
  const shared: TimelineItem[] = [];
  const byExecution = new Map<string, TimelineItem[]>(
    stage?.executions.map((execution) => [execution.execution_id, []]),
  );
  for (const item of items) {
    if (item.execution_id === null) {
      shared.push(item);
      continue;
    }
    const lane = byExecution.get(item.execution_id);
    if (lane) lane.push(item);
    else byExecution.set(item.execution_id, [item]);
  }
  const executions = new Map(stage?.executions.map((each) => [each.execution_id, each]));
  const lanes = Array.from(byExecution, ([id, laneItems], index) => ({
    execution: executions.get(id) ?? unknownExecution(id, index + 1),
    items: laneItems,
  }));
  return { lanes, shared };
}

/** A placeholder for an execution that has live items but has not been loaded yet. */
function unknownExecution(id: string, index: number): Execution {
  return {
    execution_id: id,
    agent_name: 'Agent',
    agent_index: index,
    parent_execution_id: null,
    task: null,
    status: 'active',
    iteration_strategy: null,
    llm_provider: null,
    active_provider: null,
    by_rules: false,
    started_at: null,
    completed_at: null,
    duration_ms: null,
    error_message: null,
    failure: null,
    total_tokens: 0,
    tokens_estimated: false,
  };
}

/** Attaches summaries to the calls they summarize; of several attempts, the last one. */
export function attachSummaries(items: readonly TimelineItem[]): readonly ItemWithSummary[] {
  const summaries = new Map<number, TimelineItem>();
  for (const item of items) {
    if (item.event_type !== 'mcp_tool_summary') continue;
    const { callNumber } = readMeta(item);
    if (callNumber !== null) summaries.set(callNumber, item);
  }
  if (summaries.size === 0) return items.map((item) => ({ item, summary: undefined }));
  const attached = new Set<number>();
  const entries = items.map((item): ItemWithSummary => {
    const number = item.event_type === 'llm_tool_call' ? readMeta(item).callNumber : null;
    const summary = number === null ? undefined : summaries.get(number);
    if (number !== null && summary) attached.add(number);
    return { item, summary };
  });
  return entries.filter(
    ({ item }) =>
      item.event_type !== 'mcp_tool_summary' || !attached.has(readMeta(item).callNumber ?? -1),
  );
}

/** The parallel stage that a synthesis joins; null for any other stage. */
export function joinedStage(stage: Stage, stages: readonly Stage[]): Stage | null {
  const { joins_stage_id: id } = stage;
  return id === null ? null : (stages.find((other) => other.id === id) ?? null);
}
