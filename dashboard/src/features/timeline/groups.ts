/** The flat timeline as it is shown: by stage, and within a parallel stage by agent. */
import type { Execution, Stage } from '../../api/sessions';
import type { TimelineItem } from '../../live/reduce';
import { isTerminal } from '../../lib/status';
import { readMeta } from './itemMeta';

export interface Group {
  readonly key: string;
  /** Null for what belongs to the whole session, and for a stage not yet known. */
  readonly stage: Stage | null;
  readonly items: readonly TimelineItem[];
}

export interface Lane {
  readonly execution: Execution;
  readonly items: readonly TimelineItem[];
}

/** An item and, for a long tool result, the summary of it. */
export interface Entry {
  readonly item: TimelineItem;
  readonly summary: TimelineItem | undefined;
}

/** Stages in the order of their first item; a parallel stage that has none yet comes last. */
export function groupByStage(
  items: readonly TimelineItem[],
  stages: readonly Stage[],
): readonly Group[] {
  const known = new Map(stages.map((stage) => [stage.id, stage]));
  const groups = new Map<string, TimelineItem[]>();
  let loose: string | null = null;
  for (const item of items) {
    const key: string = item.stage_id ?? loose ?? `session-${item.id}`;
    loose = item.stage_id === null ? key : null;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  for (const stage of stages) {
    if (stage.executions.length > 1 && !isTerminal(stage.status) && !groups.has(stage.id))
      groups.set(stage.id, []);
  }
  return Array.from(groups, ([key, group]) => ({
    key,
    stage: known.get(key) ?? null,
    items: group,
  }));
}

/** Groups again and again; a part without news stays the same object and is not drawn anew. */
export function createGrouper() {
  let before = new Map<string, Group>();
  return (items: readonly TimelineItem[], stages: readonly Stage[]): readonly Group[] => {
    const groups = groupByStage(items, stages).map((group) => {
      const old = before.get(group.key);
      return old && old.stage === group.stage && sameItems(old.items, group.items) ? old : group;
    });
    before = new Map(groups.map((group) => [group.key, group]));
    return groups;
  };
}

function sameItems(one: readonly TimelineItem[], other: readonly TimelineItem[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

/** Whether several agents work in the stage; live items may tell so before the stage does. */
export function isParallel({ stage, items }: Group): boolean {
  if (stage !== null && stage.chat_id !== null) return false;
  if (stage !== null && (stage.expected_agent_count > 1 || stage.executions.length > 1))
    return true;
  const first = items.find((item) => item.execution_id !== null)?.execution_id;
  return items.some((item) => item.execution_id !== null && item.execution_id !== first);
}

export interface Lanes {
  readonly lanes: readonly Lane[];
  /** What concerns no single agent. */
  readonly shared: readonly TimelineItem[];
}

export function splitLanes({ stage, items }: Group): Lanes {
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
  const known = new Map(stage?.executions.map((one) => [one.execution_id, one]));
  const lanes = Array.from(byExecution, ([id, own], index) => ({
    execution: known.get(id) ?? unknownExecution(id, index + 1),
    items: own,
  }));
  return { lanes, shared };
}

/** An agent of which only its first steps are known so far. */
function unknownExecution(id: string, place: number): Execution {
  return {
    execution_id: id,
    agent_name: 'Agent',
    agent_index: place,
    status: 'active',
    iteration_strategy: null,
    llm_provider: null,
    started_at: null,
    completed_at: null,
    duration_ms: null,
    error_message: null,
    total_tokens: 0,
  };
}

/** Puts a summary to the call whose result it sums up; of several tries, the last. */
export function withSummaries(items: readonly TimelineItem[]): readonly Entry[] {
  const summaries = new Map<number, TimelineItem>();
  for (const item of items) {
    if (item.event_type !== 'mcp_tool_summary') continue;
    const { callNumber } = readMeta(item);
    if (callNumber !== null) summaries.set(callNumber, item);
  }
  if (summaries.size === 0) return items.map((item) => ({ item, summary: undefined }));
  const placed = new Set<number>();
  const entries = items.map((item): Entry => {
    const number = item.event_type === 'llm_tool_call' ? readMeta(item).callNumber : null;
    const summary = number === null ? undefined : summaries.get(number);
    if (number !== null && summary) placed.add(number);
    return { item, summary };
  });
  return entries.filter(
    ({ item }) =>
      item.event_type !== 'mcp_tool_summary' || !placed.has(readMeta(item).callNumber ?? -1),
  );
}

const SYNTHESIS = ' - Synthesis';

/** The stage whose agents a stage joins; null for any other stage. */
export function joinedStage(stage: Stage, stages: readonly Stage[]): Stage | null {
  if (!stage.stage_name.endsWith(SYNTHESIS)) return null;
  const name = stage.stage_name.slice(0, -SYNTHESIS.length);
  const before = stages.slice(0, stages.indexOf(stage));
  return before.findLast((one) => one.stage_name === name) ?? null;
}

/** Reads the switches again and again; without a new one the map stays the same object. */
export function createSwitchReader() {
  let before: ReadonlyMap<string, string> = new Map();
  return (items: readonly TimelineItem[]): ReadonlyMap<string, string> => {
    const now = switchedProviders(items);
    const same =
      now.size === before.size && [...now].every(([key, name]) => before.get(key) === name);
    if (!same) before = now;
    return before;
  };
}

/** The provider each agent works with after its switches. */
export function switchedProviders(items: readonly TimelineItem[]): ReadonlyMap<string, string> {
  const providers = new Map<string, string>();
  for (const item of items) {
    if (item.event_type !== 'provider_fallback' || item.execution_id === null) continue;
    const { to } = readMeta(item);
    if (to !== null) providers.set(item.execution_id, to);
  }
  return providers;
}
