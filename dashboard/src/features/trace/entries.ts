/** Reads the trace as lists of calls in order of time, filtered by category. */
import type { LlmItem, McpItem, Trace } from '../../api/trace';
import { agentName } from '../../lib/session/agents';
import { showBidiControls } from '../../lib/text/bidi';
import { humanize } from '../../lib/text/format';

export interface LlmEntry {
  readonly kind: 'llm';
  readonly item: LlmItem;
  /** From 1 for each agent; null for a call of the session itself. */
  readonly turn: number | null;
  /** Whether it repeats a failed call, whose number it has. */
  readonly retry: boolean;
}

export type TraceEntry = LlmEntry | { readonly kind: 'mcp'; readonly item: McpItem };

export const CATEGORIES = [
  { id: 'all', label: 'All' },
  { id: 'llm', label: 'LLM' },
  { id: 'mcp', label: 'Tools' },
  { id: 'failed', label: 'Failed' },
] as const;

export type Category = (typeof CATEGORIES)[number]['id'];

export interface TraceAgent {
  readonly key: string;
  readonly name: string;
  readonly entries: readonly TraceEntry[];
}

export interface TraceStage {
  readonly key: string;
  readonly name: string;
  readonly agents: readonly TraceAgent[];
}

export function failed({ item, kind }: TraceEntry): boolean {
  if (item.error_message !== null) return true;
  if (kind === 'llm') return item.timed_out;
  return item.refused_by_policy || ['failed', 'unknown'].includes(item.status);
}

function matches(entry: TraceEntry, category: Category): boolean {
  if (category === 'all') return true;
  if (category === 'failed') return failed(entry);
  if (category === 'llm') return entry.kind === 'llm';
  return entry.kind === 'mcp' && entry.item.interaction_type !== 'tool_list';
}

function sortByTime(llm: readonly LlmItem[], mcp: readonly McpItem[]): readonly TraceEntry[] {
  const entries: TraceEntry[] = [
    ...llm.map((item): TraceEntry => ({ kind: 'llm', item, turn: null, retry: false })),
    ...mcp.map((item): TraceEntry => ({ kind: 'mcp', item })),
  ];
  return entries.toSorted((a, b) => compareTimes(a.item.created_at, b.item.created_at));
}

/** Model calls of an agent are numbered as turns; one after a failed one of the same kind is its retry. */
function numberTurns(entries: readonly TraceEntry[]): readonly TraceEntry[] {
  let turn = 0;
  let previous: LlmItem | null = null;
  return entries.map((entry) => {
    if (entry.kind === 'mcp') return entry;
    const { item } = entry;
    const retry =
      previous !== null &&
      (previous.error_message !== null || previous.timed_out) &&
      previous.interaction_type === item.interaction_type;
    if (!retry) turn += 1;
    previous = item;
    return { ...entry, turn, retry };
  });
}

/** `Turn 2`; of a call of the session, what it is for. */
export function titleOfCall({ item, turn }: LlmEntry): string {
  return turn === null ? humanize(item.interaction_type) || 'LLM call' : `Turn ${turn}`;
}

/** Compares RFC 3339 timestamps in UTC with any number of decimals as text; `Z` sorts after digits. */
function compareTimes(one: string, other: string): number {
  const [a, b] = [one.replace(/Z$/, ''), other.replace(/Z$/, '')];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The stages of the trace, followed by session-level calls. A filter removes stages and agents without a match. */
export function readTrace(trace: Trace, category: Category): readonly TraceStage[] {
  const stages = trace.stages.map((stage, index): TraceStage => {
    const agents = readAgents(stage.executions, category);
    return {
      key: stage.stage_id || String(index),
      name: showBidiControls(stage.stage_name),
      agents: category === 'all' ? agents : agents.filter(({ entries }) => entries.length > 0),
    };
  });
  const sessionEntries = sortByTime(trace.session_interactions, []).filter((entry) =>
    matches(entry, category),
  );
  const session: TraceStage = {
    key: 'session',
    name: '',
    agents: [{ key: 'session', name: '', entries: sessionEntries }],
  };
  const shown = category === 'all' ? stages : stages.filter(({ agents }) => agents.length > 0);
  return sessionEntries.length > 0 ? [...shown, session] : shown;
}

function readAgents(
  executions: Trace['stages'][number]['executions'],
  category: Category,
): readonly TraceAgent[] {
  const indexed = executions.map((execution, index) => ({ ...execution, agent_index: index + 1 }));
  return indexed.map((execution) => ({
    key: execution.execution_id,
    name: agentName(execution, indexed),
    entries: numberTurns(sortByTime(execution.llm_interactions, execution.mcp_interactions)).filter(
      (entry) => matches(entry, category),
    ),
  }));
}

export interface Totals {
  readonly llm: number;
  readonly tools: number;
  readonly failed: number;
  readonly tokens: number;
  /** Whether a part of the tokens is estimated. */
  readonly estimated: boolean;
}

export function totals(trace: Trace): Totals {
  const entries = readTrace(trace, 'all').flatMap(({ agents }) =>
    agents.flatMap((agent) => agent.entries),
  );
  return {
    llm: entries.filter(({ kind }) => kind === 'llm').length,
    tools: entries.filter((entry) => matches(entry, 'mcp')).length,
    failed: entries.filter(failed).length,
    tokens: entries.reduce(
      (sum, entry) => sum + (entry.kind === 'llm' ? entry.item.total_tokens : 0),
      0,
    ),
    estimated: entries.some((entry) => entry.kind === 'llm' && entry.item.tokens_estimated),
  };
}
