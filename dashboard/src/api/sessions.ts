/** Session lists, session details, timelines and cancellation. */
import { z } from './zod';
import { endpoints } from '../lib/browser/paths';
import { change } from './changes';
import { request } from './client';
import {
  count,
  flag,
  list,
  nullableNumber,
  nullableText,
  orNull,
  metadata,
  text,
  textOrEmpty,
  withDefault,
} from './fields';
import { verdict } from './verdict';

const earlier = withDefault(z.object({ count, last_session_id: nullableText }), {
  count: 0,
  last_session_id: null,
});

const sessionBase = z.object({
  id: text,
  alert_type: nullableText,
  chain_id: textOrEmpty,
  status: text,
  /** All that is left waits for people to approve tool calls. */
  waiting_for_approval: flag,
  author: nullableText,
  created_at: text,
  started_at: nullableText,
  title: nullableText,
  severity: nullableText,
  service: nullableText,
  namespace: nullableText,
  cluster: nullableText,
  /** Pages that the sender of the alert named. */
  links: list(z.object({ title: text, url: text })),
  /** Alerts with the same fingerprint report the same problem. */
  fingerprint: nullableText,
  /** The sessions before it with the same fingerprint; at most 100 are counted. */
  earlier_sessions: earlier,
});

const claims = orNull(z.object({ total: count, verified: count }));

const finding = orNull(
  z.object({ outcome: text, headline: text, answer: textOrEmpty, confidence: textOrEmpty }),
);

/** Null of what did not fail, and of records from before there were facts. */
const failure = withDefault(
  z.catch(
    z.nullish(
      z.object({
        code: text,
        reason: text,
        stage: nullableText,
        agent: nullableText,
        provider: nullableText,
        remedy: text,
        document: nullableText,
      }),
    ),
    null,
  ),
  null,
);

export const sessionItem = z.extend(sessionBase, {
  /** `alert`, `replay` of another session, or `recording`, a record from elsewhere. */
  origin: withDefault(text, 'alert'),
  completed_at: nullableText,
  duration_ms: nullableNumber,
  error_message: nullableText,
  failure,
  executive_summary: nullableText,
  /** The verdict in a line; null without one, and from an API that has none. */
  finding,
  /** Null while it runs, and when nothing was checked. */
  claims,
  /** True when the findings need a second look. */
  degraded: flag,
  degraded_reasons: list(text),
  llm_interaction_count: count,
  mcp_interaction_count: count,
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  /** True when providers left a part of the tokens out, which is estimated. */
  tokens_estimated: flag,
  /** Millionths of a US dollar; null when no call has a price. */
  cost_micro_usd: nullableNumber,
  unpriced_llm_calls: count,
  total_stages: count,
  completed_stages: count,
  has_parallel_stages: flag,
  /** What a person thinks of its finding: `accurate`, `partly` or `wrong`. */
  review: nullableText,
  /** How well it was investigated, from 0 to 100. */
  score: nullableNumber,
  /** The state of work of people: `new`, `taken` or `done`. */
  triage: withDefault(text, 'new'),
  /** Who works on it, or did. */
  assignee: nullableText,
});

const sessionPage = z.object({
  sessions: list(sessionItem),
  pagination: z.object({
    page: z.number(),
    page_size: z.number(),
    total_pages: z.number(),
    total_items: z.number(),
  }),
});

const activeItem = z.extend(sessionBase, { queue_position: nullableNumber });

const activeSessions = z.object({ active: list(activeItem), queued: list(activeItem) });

const execution = z.object({
  execution_id: text,
  agent_name: text,
  agent_index: count,
  /** The execution of the agent that dispatched it; null for an agent of the stage. */
  parent_execution_id: nullableText,
  /** What it was dispatched for. */
  task: nullableText,
  status: text,
  iteration_strategy: nullableText,
  /** The provider with which it started. */
  llm_provider: nullableText,
  /** The provider in use, which differs after a fallback. */
  active_provider: nullableText,
  /** True when the rules of the offline analyst write its texts. */
  by_rules: flag,
  started_at: nullableText,
  completed_at: nullableText,
  duration_ms: nullableNumber,
  error_message: nullableText,
  failure,
  total_tokens: count,
  /** True when providers left a part of the tokens out, which is estimated. */
  tokens_estimated: flag,
});

const stage = z.object({
  id: text,
  stage_name: text,
  stage_index: count,
  /** The chat that this stage answers a question of; null for a stage of the chain. */
  chat_id: nullableText,
  /** The parallel stage that this synthesis joins; null for other stages. */
  joins_stage_id: nullableText,
  status: text,
  parallel_type: nullableText,
  expected_agent_count: count,
  started_at: nullableText,
  completed_at: nullableText,
  executions: list(execution),
});

const dependency = z.object({ from: text, relation: text, to: text, team: nullableText });

const limit = z.object({ limit: count, used: count });

const budget = orNull(
  z.object({
    llm_calls: limit,
    tokens: limit,
    tool_calls: limit,
    cost_micro_usd: z.nullish(limit),
  }),
);

/** The tools that override the chain's for this alert. */
const toolSelection = orNull(
  z.object({
    servers: list(z.object({ name: text, tools: withDefault(z.array(text), null) })),
    without_servers: flag,
    native_tools: withDefault(z.record(z.string(), z.nullish(z.boolean())), {}),
  }),
);

/** A reviewed session about the same problem, as the investigation was given it. */
const seenBefore = z.object({
  session_id: text,
  review: text,
  actual_cause: nullableText,
  object: nullableText,
  category: nullableText,
  finding: nullableText,
  ended_at: textOrEmpty,
});

/** A fact that people confirmed in reviews of other alerts. */
const recalled = z.object({
  memory_id: text,
  text,
  session_id: text,
  review: text,
  ended_at: textOrEmpty,
});

const sessionDetail = z.extend(sessionItem, {
  replay_of: nullableText,
  labels: withDefault(z.record(z.string(), z.string()), {}),
  /** How many changes and notes its work has. */
  triage_entries: count,
  seen_before: list(seenBefore),
  /** The memories that the investigation was given, as they were. */
  recalled: list(recalled),
  /** Those near the alert that the investigation was given. */
  changes: list(change),
  /** Near the objects of the alert, as the investigation was given them: what these depend on first. */
  dependencies: list(dependency),
  /** Calls that change something; read where they are shown. */
  actions: list(z.unknown()),
  alert_data: textOrEmpty,
  final_analysis: nullableText,
  /** Null without one, and from an API that has none. */
  verdict,
  /** Why a session that completed has none, such as `invalid`. */
  verdict_failure: nullableText,
  /** The tools of which every call failed. */
  failed_tools: list(z.object({ tool: text, calls: count })),
  /** Where the prices of the models come from: `configured`, `price_list` or `none`. */
  prices: list(z.object({ provider: text, source: text, list_day: nullableText })),
  executive_summary_error: nullableText,
  runbook_url: nullableText,
  slack_message_fingerprint: nullableText,
  mcp_selection: toolSelection,
  /** Null leaves it to the chain. */
  requested_provider: nullableText,
  chat_enabled: flag,
  /** Limits and usage; null when the API reports no limits. */
  budget,
  /** `db_event_id` of the last event at the time of the read. A timeline read later includes it. */
  last_event_id: nullableNumber,
  stages: list(stage),
});

const timelineEvent = z.object({
  id: text,
  session_id: text,
  stage_id: nullableText,
  execution_id: nullableText,
  sequence_number: z.number(),
  event_type: text,
  status: text,
  content: textOrEmpty,
  metadata,
  created_at: text,
  updated_at: nullableText,
});

const cancellation = z.object({ session_id: text, message: textOrEmpty });

export type SessionItem = z.infer<typeof sessionItem>;
export type SessionPage = z.infer<typeof sessionPage>;
export type ActiveItem = z.infer<typeof activeItem>;
export type ActiveSessions = z.infer<typeof activeSessions>;
export type SessionDetail = z.infer<typeof sessionDetail>;
export type Budget = NonNullable<SessionDetail['budget']>;
export type Stage = z.infer<typeof stage>;
export type Execution = z.infer<typeof execution>;
export type TimelineEvent = z.infer<typeof timelineEvent>;

/** Empty values select everything. */
export interface SessionFilter {
  readonly status: readonly string[];
  readonly alertType: string;
  readonly chain: string;
  readonly fingerprint: string;
  /** `reviewed`, `unreviewed`, or one of the reviews. */
  readonly review: string;
  /** The least score. */
  readonly scoreMin: string;
  readonly degraded: boolean;
  readonly author: string;
  /** `new`, `taken` or `done`. */
  readonly triage: string;
  readonly assignee: string;
  /** Only what the user has taken or done. */
  readonly mine: boolean;
  readonly severity: string;
  /** Only sessions with a failed call of this tool server, and of this tool of it. */
  readonly failedServer: string;
  readonly failedTool: string;
  /** Hours back from now, instead of two moments; 0 for no bound. */
  readonly hours: number;
  /** RFC 3339. */
  readonly since: string;
  readonly until: string;
}

export interface SessionQuery extends SessionFilter {
  readonly search: string;
  readonly page: number;
  readonly pageSize: number;
  readonly sort: string;
  readonly order: 'asc' | 'desc';
}

/** Selects everything. */
export const noSessionFilter: SessionFilter = {
  status: [],
  alertType: '',
  chain: '',
  fingerprint: '',
  review: '',
  scoreMin: '',
  degraded: false,
  author: '',
  triage: '',
  assignee: '',
  mine: false,
  severity: '',
  failedServer: '',
  failedTool: '',
  hours: 0,
  since: '',
  until: '',
};

/** Selects everything, the newest first. */
export const noSelection: SessionQuery = {
  ...noSessionFilter,
  search: '',
  page: 1,
  pageSize: 25,
  sort: 'created_at',
  order: 'desc',
};

/** The parameters of a filter; empty ones select everything. */
export function filterParams(query: SessionFilter): Readonly<Record<string, string>> {
  const { review, hours } = query;
  const reviewed = { reviewed: 'true', unreviewed: 'false' }[review] ?? '';
  return {
    status: query.status.join(','),
    alert_type: query.alertType,
    chain_id: query.chain,
    fingerprint: query.fingerprint,
    reviewed,
    review: reviewed === '' ? review : '',
    score_min: query.scoreMin,
    degraded: query.degraded ? 'true' : '',
    author: query.author,
    triage: query.triage,
    assignee: query.assignee,
    mine: query.mine ? 'true' : '',
    severity: query.severity,
    failed_server: query.failedServer,
    failed_tool: query.failedTool,
    start_date: hours > 0 ? new Date(Date.now() - hours * 3_600_000).toISOString() : query.since,
    end_date: hours > 0 ? '' : query.until,
  };
}

export function listSessions(query: SessionQuery, signal?: AbortSignal) {
  const params = new URLSearchParams({
    page: String(query.page),
    page_size: String(query.pageSize),
    sort_by: query.sort,
    sort_order: query.order,
  });
  const filter = { ...filterParams(query), search: query.search };
  for (const [name, value] of Object.entries(filter)) {
    if (value !== '') params.set(name, value);
  }
  return request(sessionPage, `${endpoints.sessions}?${params}`, { signal });
}

export function listActive(signal?: AbortSignal) {
  return request(activeSessions, endpoints.activeSessions, { signal });
}

export function getSession(id: string, signal?: AbortSignal) {
  return request(sessionDetail, endpoints.session(id), { signal });
}

/** A part of a timeline: what comes after this sequence number, and at most so many events. */
export interface TimelinePart {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

export function getTimeline(id: string, signal?: AbortSignal, part: TimelinePart = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(part)) {
    if (value !== undefined) params.set(name, String(value));
  }
  const query = params.size === 0 ? '' : `?${params}`;
  return request(list(timelineEvent), `${endpoints.timeline(id)}${query}`, { signal });
}

export function cancelSession(id: string) {
  return request(cancellation, endpoints.cancel(id), { method: 'POST' });
}

const deletion = z.object({ deleted_sessions: list(text) });

/** Deletes a session and its replays for good; the reason is kept. */
export function deleteSession(id: string, reason: string) {
  return request(deletion, endpoints.deletion(id, reason), { method: 'DELETE' });
}
