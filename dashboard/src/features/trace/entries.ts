/** The calls of an agent as one list in the order of time, and what of them is shown. */
import type { LlmItem, McpItem, Trace } from '../../api/trace';
import { agentName } from '../../lib/agents';

export type TraceEntry =
  | { readonly kind: 'llm'; readonly item: LlmItem }
  | { readonly kind: 'mcp'; readonly item: McpItem };

export const SHOWN = [
  { id: 'all', label: 'All' },
  { id: 'llm', label: 'Models' },
  { id: 'mcp', label: 'Tools' },
  { id: 'failed', label: 'Failed' },
] as const;

export type Shown = (typeof SHOWN)[number]['id'];

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

function fits(entry: TraceEntry, shown: Shown): boolean {
  if (shown === 'all') return true;
  if (shown === 'failed') return failed(entry);
  if (shown === 'llm') return entry.kind === 'llm';
  return entry.kind === 'mcp' && entry.item.interaction_type !== 'tool_list';
}

function inOrder(llm: readonly LlmItem[], mcp: readonly McpItem[]): readonly TraceEntry[] {
  const entries: TraceEntry[] = [
    ...llm.map((item): TraceEntry => ({ kind: 'llm', item })),
    ...mcp.map((item): TraceEntry => ({ kind: 'mcp', item })),
  ];
  return entries.toSorted((a, b) => compareTimes(a.item.created_at, b.item.created_at));
}

/** RFC 3339 in UTC with any number of decimals: the whole seconds first, then what is behind them. */
function compareTimes(one: string, other: string): number {
  const [a, b] = [one.replace(/Z$/, ''), other.replace(/Z$/, '')];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The record as it is shown; parts without a call that fits are left out, unless all is wanted. */
export function readTrace(trace: Trace, shown: Shown): readonly TraceStage[] {
  const stages = trace.stages.map((stage, place): TraceStage => {
    const named = stage.executions.map((execution, index) => ({
      ...execution,
      agent_index: index + 1,
    }));
    const agents = named.map((execution): TraceAgent => {
      const all = inOrder(execution.llm_interactions, execution.mcp_interactions);
      return {
        key: execution.execution_id,
        name: agentName(execution, named),
        entries: all.filter((entry) => fits(entry, shown)),
      };
    });
    return {
      key: stage.stage_id || String(place),
      name: stage.stage_name,
      agents: shown === 'all' ? agents : agents.filter(({ entries }) => entries.length > 0),
    };
  });
  const own = inOrder(trace.session_interactions, []).filter((entry) => fits(entry, shown));
  const whole: TraceStage = {
    key: 'session',
    name: '',
    agents: [{ key: 'session', name: '', entries: own }],
  };
  const kept = shown === 'all' ? stages : stages.filter(({ agents }) => agents.length > 0);
  return own.length > 0 ? [...kept, whole] : kept;
}

export interface Totals {
  readonly llm: number;
  readonly tools: number;
  readonly failed: number;
  readonly tokens: number;
}

export function totals(trace: Trace): Totals {
  const entries = readTrace(trace, 'all').flatMap(({ agents }) =>
    agents.flatMap((agent) => agent.entries),
  );
  return {
    llm: entries.filter(({ kind }) => kind === 'llm').length,
    tools: entries.filter((entry) => fits(entry, 'mcp')).length,
    failed: entries.filter(failed).length,
    tokens: entries.reduce(
      (sum, entry) => sum + (entry.kind === 'llm' ? entry.item.total_tokens : 0),
      0,
    ),
  };
}
