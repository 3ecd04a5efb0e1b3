/** The trace as bars over time: one row for each stage, agent and call. */
import type { TimelineEvent } from '../../api/sessions';
import type { LlmItem, McpItem, Trace } from '../../api/trace';
import { showBidiControls } from '../../lib/text/bidi';
import { approximate, formatCount, humanize } from '../../lib/text/format';
import { formatDuration, parseTime } from '../../lib/time/time';
import { failed, readTrace, titleOfCall, type LlmEntry, type TraceEntry } from './entries';

export type RowKind = 'stage' | 'agent' | 'llm' | 'tool' | 'listing';

export interface WaterfallRow {
  /** Unique; of a call, its interaction id. */
  readonly id: string;
  readonly kind: RowKind;
  readonly title: string;
  /** What the row's bar adds to the title: durations, tokens, retries, fallbacks. */
  readonly facts: readonly string[];
  /** Milliseconds since the epoch; null for a group without calls. */
  readonly start: number | null;
  readonly end: number | null;
  /** When the first token of a model call arrived; null when that is not known. */
  readonly firstToken: number | null;
  readonly failed: boolean;
  /** Null for stages and agents. */
  readonly entry: TraceEntry | null;
}

export interface Waterfall {
  readonly rows: readonly WaterfallRow[];
  readonly start: number;
  /** Later than `start`. */
  readonly end: number;
}

/** When each text of a model began, in milliseconds since the epoch, by execution id. */
export type TextStarts = ReadonlyMap<string, readonly number[]>;

const modelTexts: ReadonlySet<string> = new Set(['llm_thinking', 'llm_response', 'final_analysis']);

type TextEvent = Pick<TimelineEvent, 'event_type' | 'execution_id' | 'created_at'>;

export function readTextStarts(events: readonly TextEvent[]): TextStarts {
  const starts = new Map<string, number[]>();
  for (const { event_type: type, execution_id: execution, created_at: created } of events) {
    const at = parseTime(created);
    if (!modelTexts.has(type) || execution === null || at === null) continue;
    const known = starts.get(execution);
    if (known) known.push(at);
    else starts.set(execution, [at]);
  }
  return starts;
}

/** True for an old record, which does not say when the first token came: the timeline says when the text began. */
export function lacksFirstTokens({ stages, session_interactions: others }: Trace): boolean {
  const executions = stages.flatMap(({ executions: all }) => all);
  const calls = [...executions.flatMap(({ llm_interactions: all }) => all), ...others];
  return calls.every((call) => call.first_token_ms === null);
}

/** `now` is the end of what still runs; `texts` are the beginnings of model texts by execution. */
export function readWaterfall(trace: Trace, now: number, texts: TextStarts = new Map()): Waterfall {
  const rows = readTrace(trace, 'all').flatMap((stage) => {
    const agents = stage.agents.map((agent) => {
      const calls = readCalls(agent.entries, now, texts.get(agent.key) ?? []);
      return { agent, calls };
    });
    const all = agents.flatMap(({ calls }) => calls);
    const named = agents.filter(({ agent }) => agent.name !== '').length;
    return [
      group('stage', `stage ${stage.key}`, stage.name || 'Session', all),
      ...agents.flatMap(({ agent, calls }) =>
        // The row of a single agent would repeat its stage.
        named > 1 ? [group('agent', `agent ${agent.key}`, agent.name, calls), ...calls] : calls,
      ),
    ];
  });
  const starts = rows.flatMap(({ start }) => (start === null ? [] : [start]));
  const ends = rows.flatMap(({ end }) => (end === null ? [] : [end]));
  const start = minimum(starts) ?? now;
  return { rows, start, end: Math.max(start + 1, maximum(ends) ?? now) };
}

function group(
  kind: 'stage' | 'agent',
  id: string,
  title: string,
  calls: readonly WaterfallRow[],
): WaterfallRow {
  const start = minimum(calls.flatMap((call) => (call.start === null ? [] : [call.start])));
  const end = maximum(calls.flatMap((call) => (call.end === null ? [] : [call.end])));
  const tokens = calls.reduce((sum, { entry }) => sum + tokensOf(entry), 0);
  const estimated = calls.some(({ entry }) => entry?.kind === 'llm' && entry.item.tokens_estimated);
  const facts = [
    start === null || end === null ? 'no calls' : formatDuration(end - start),
    ...(tokens > 0 ? [approximate(`${formatCount(tokens)} tokens`, estimated)] : []),
  ];
  return { id, kind, title, facts, start, end, firstToken: null, failed: false, entry: null };
}

function tokensOf(entry: TraceEntry | null): number {
  return entry?.kind === 'llm' ? entry.item.total_tokens : 0;
}

function readCalls(
  entries: readonly TraceEntry[],
  now: number,
  texts: readonly number[],
): readonly WaterfallRow[] {
  let previous: LlmItem | null = null;
  return entries.map((entry): WaterfallRow => {
    if (entry.kind === 'mcp') return toolRow(entry, entry.item, now);
    const { item, retry } = entry;
    const from = previous?.provider ?? null;
    const fallback = from !== null && item.provider !== null && item.provider !== from;
    previous = item;
    const row = llmRow(entry, [
      ...(retry ? ['retry'] : []),
      ...(fallback ? [`fallback to ${item.provider}`] : []),
    ]);
    return item.first_token_ms === null ? withFirstText(row, texts) : row;
  });
}

/** A model call is recorded when it ends. */
function llmRow(entry: LlmEntry, marks: readonly string[]): WaterfallRow {
  const { item } = entry;
  const end = parseTime(item.created_at);
  const start = end === null ? null : end - (item.duration_ms ?? 0);
  const { input_tokens: input, output_tokens: output } = item;
  const tokens =
    input === null && output === null
      ? []
      : [
          approximate(
            `${formatCount(input)} in, ${formatCount(output)} out`,
            item.tokens_estimated,
          ),
        ];
  return {
    id: item.id,
    kind: 'llm',
    title: showBidiControls(
      `${titleOfCall(entry)}: ${item.model_name || humanize(item.interaction_type)}`,
    ),
    facts: [...marks, formatDuration(item.duration_ms), ...tokens, ...firstToken(item)],
    start,
    end,
    firstToken: start === null || item.first_token_ms === null ? null : start + item.first_token_ms,
    failed: failed(entry),
    entry,
  };
}

function firstToken({ first_token_ms: millis }: LlmItem): readonly string[] {
  return millis === null ? [] : [`first token after ${formatDuration(millis)}`];
}

/** For old records: adds how long the model took until its first text. An answer that has only tool calls has none. */
function withFirstText(row: WaterfallRow, texts: readonly number[]): WaterfallRow {
  const { start, end, facts } = row;
  if (start === null || end === null) return row;
  const first = minimum(texts.filter((at) => at >= start && at <= end));
  if (first === null) return row;
  return {
    ...row,
    firstToken: first,
    facts: [...facts, `first text after ${formatDuration(first - start)}`],
  };
}

/** A tool call is recorded when it begins. */
function toolRow(entry: TraceEntry, item: McpItem, now: number): WaterfallRow {
  const start = parseTime(item.created_at);
  const running = item.status === 'started';
  const listing = item.interaction_type === 'tool_list';
  const name = [item.server_name, item.tool_name].filter(Boolean).join('.');
  const number = item.call_number === null ? '' : `call ${item.call_number}: `;
  return {
    id: item.id,
    kind: listing ? 'listing' : 'tool',
    title: showBidiControls(
      listing ? `Tools of ${item.server_name}` : `${number}${name || 'tool call'}`,
    ),
    facts: [
      ...(item.refused_by_policy ? ['refused by policy'] : []),
      running ? 'running' : formatDuration(item.duration_ms),
    ],
    start,
    end: start === null ? null : running ? Math.max(now, start) : start + (item.duration_ms ?? 0),
    firstToken: null,
    failed: failed(entry),
    entry,
  };
}

/** Spreading thousands of values into `Math.min` may exceed the stack. */
function minimum(values: readonly number[]): number | null {
  return values.reduce<number | null>(
    (least, value) => (least === null || value < least ? value : least),
    null,
  );
}

function maximum(values: readonly number[]): number | null {
  return values.reduce<number | null>(
    (most, value) => (most === null || value > most ? value : most),
    null,
  );
}
