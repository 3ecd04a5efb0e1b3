/** Reads the metadata of timeline items. A missing or malformed field is null. */
import { z } from '../../api/zod';
import type { TimelineItem } from '../../live/reduce';
import { showBidiControls } from '../../lib/text/bidi';
import { inlineValue } from '../../lib/text/format';
import { parseTime } from '../../lib/time/time';

function nullish<S extends z.ZodMiniType>(schema: S) {
  return z.catch(z.nullish(schema), null);
}

const metadata = z.object({
  server_name: nullish(z.string()),
  tool_name: nullish(z.string()),
  arguments: z.optional(z.unknown()),
  is_error: nullish(z.boolean()),
  duration_ms: nullish(z.number()),
  interrupted: nullish(z.boolean()),
  error_message: nullish(z.string()),
  call_number: nullish(z.int().check(z.positive())),
  masked: nullish(z.boolean()),
  masked_values: nullish(z.number()),
  refused_by_policy: nullish(z.boolean()),
  answered_from: nullish(z.int().check(z.positive())),
  dispatched_execution_id: nullish(z.string()),
  injected_instructions: nullish(z.number()),
  from: nullish(z.string()),
  to: nullish(z.string()),
  reason: nullish(z.string()),
  limit: nullish(z.string()),
  maximum: nullish(z.number()),
  used: nullish(z.number()),
  original_tokens: nullish(z.number()),
  summary_tokens: nullish(z.number()),
  cut: nullish(z.boolean()),
  truncated: nullish(z.boolean()),
  time_up: nullish(z.boolean()),
  backend: nullish(z.string()),
  model: nullish(z.string()),
  approval_id: nullish(z.string()),
  decision: nullish(z.string()),
  timeout_seconds: nullish(z.number()),
  source: nullish(z.string()),
  status: nullish(z.string()),
  severity: nullish(z.string()),
  starts_at: nullish(z.string()),
  ends_at: nullish(z.string()),
  outcome: nullish(z.string()),
  action: z.optional(z.unknown()),
  dry_run: z.optional(z.unknown()),
});

export interface ItemMeta {
  readonly server: string | null;
  readonly tool: string | null;
  readonly arguments: unknown;
  readonly isError: boolean;
  readonly interrupted: boolean;
  readonly durationMs: number | null;
  readonly errorMessage: string | null;
  /** The number of the call in its session, used in citations. */
  readonly callNumber: number | null;
  readonly masked: boolean;
  /** Number of masked values; null when they were not counted. */
  readonly maskedValues: number | null;
  readonly refused: boolean;
  /** The number of the earlier call that answered this one, which repeats it. */
  readonly answeredFrom: number | null;
  /** The execution of the agent that this call dispatched. */
  readonly dispatched: string | null;
  /** Places of the result that address a model. */
  readonly injected: number;
  /** True when the timeline has only the beginning of the result. */
  readonly cut: boolean;
  /** True when the model stopped at its output limit. */
  readonly truncated: boolean;
  /** The time for the answer cut it off, not its output limit. */
  readonly timeUp: boolean;
  /** Provider fallback: from, to and reason, which a received alert has, too. */
  readonly from: string | null;
  readonly to: string | null;
  readonly reason: string | null;
  /** Budget reached: limit, maximum and usage. */
  readonly limit: string | null;
  readonly maximum: number | null;
  readonly used: number | null;
  /** Summary of a tool result: sizes and model. */
  readonly originalTokens: number | null;
  readonly summaryTokens: number | null;
  readonly backend: string | null;
  readonly model: string | null;
  /** Approval of a tool call: its id, what was decided, and how long a person may take. */
  readonly approvalId: string | null;
  readonly decision: string | null;
  readonly timeoutSeconds: number | null;
  /** Received alert: its source, status, severity and times. */
  readonly source: string | null;
  readonly alertStatus: string | null;
  readonly severity: string | null;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  /** What became of an action. */
  readonly outcome: string | null;
  /** What a call is meant to do, and its dry run; read where they are shown. */
  readonly action: unknown;
  readonly dryRun: unknown;
}

/** Items are immutable, so each is parsed once. */
const cache = new WeakMap<TimelineItem, ItemMeta>();

export function readMeta(item: TimelineItem): ItemMeta {
  const cached = cache.get(item);
  if (cached) return cached;
  const meta = parse(item);
  cache.set(item, meta);
  return meta;
}

function parse(item: TimelineItem): ItemMeta {
  const parsed = metadata.safeParse(item.metadata ?? {});
  const data: Partial<z.infer<typeof metadata>> = parsed.success ? parsed.data : {};
  return {
    server: data.server_name ?? null,
    tool: data.tool_name ?? null,
    arguments: data.arguments,
    isError: data.is_error === true || item.status === 'failed',
    interrupted: data.interrupted === true,
    durationMs: data.duration_ms ?? durationOf(item),
    errorMessage: data.error_message ?? null,
    callNumber: data.call_number ?? null,
    masked: data.masked === true || (data.masked_values ?? 0) > 0,
    maskedValues: data.masked_values ?? null,
    refused: data.refused_by_policy === true,
    answeredFrom: data.answered_from ?? null,
    dispatched: data.dispatched_execution_id ?? null,
    injected: data.injected_instructions ?? 0,
    cut: data.cut === true,
    truncated: data.truncated === true,
    timeUp: data.time_up === true,
    from: data.from ?? null,
    to: data.to ?? null,
    reason: data.reason ?? null,
    limit: data.limit ?? null,
    maximum: data.maximum ?? null,
    used: data.used ?? null,
    originalTokens: data.original_tokens ?? null,
    summaryTokens: data.summary_tokens ?? null,
    backend: data.backend ?? null,
    model: data.model ?? null,
    approvalId: data.approval_id ?? null,
    decision: data.decision ?? null,
    timeoutSeconds: data.timeout_seconds ?? null,
    source: data.source ?? null,
    alertStatus: data.status ?? null,
    severity: data.severity ?? null,
    startsAt: data.starts_at ?? null,
    endsAt: data.ends_at ?? null,
    outcome: data.outcome ?? null,
    action: data.action,
    dryRun: data.dry_run,
  };
}

function durationOf(item: TimelineItem): number | null {
  if (item.status === 'streaming') return null;
  const start = parseTime(item.created_at);
  const end = parseTime(item.updated_at);
  return start === null || end === null || end <= start ? null : end - start;
}

/** `server.tool`, or the part that is present. */
export function toolTitle(meta: ItemMeta): string {
  const parts = [meta.server, meta.tool].filter((part) => part !== null && part !== '');
  return parts.length > 0 ? showBidiControls(parts.join('.')) : 'tool call';
}

export function hasArguments(value: unknown): boolean {
  return inlineValue(value) !== '';
}
