/** Paths of the dashboard's pages and of the API endpoints. */

import { BASE_PATH } from './basePath';

const API = `${BASE_PATH}/api/v1`;

/** Two moments, RFC 3339. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

export const pages = {
  sessions: '/',
  /** The list, filtered to the alerts with a fingerprint. */
  sessionsOf: (fingerprint: string) => `/?fingerprint=${encodeURIComponent(fingerprint)}`,
  search: '/search',
  searchFor: (text: string) => `/search?${new URLSearchParams({ q: text })}`,
  /** Sessions of some time with calls of a tool. */
  callsOf: (server: string, tool: string, time: Period) =>
    `/search?${new URLSearchParams({ q: `${server}.${tool}`, ...time })}`,
  /** Those with failed calls of it. */
  failedCallsOf: (server: string, tool: string, time: Period) =>
    `/search?${new URLSearchParams({ q: `${server}.${tool}`, failed_server: server, failed_tool: tool, ...time })}`,
  overview: '/overview',
  /** What came again and again in the last seven days. */
  prevention: '/prevention',
  submit: '/submit',
  /** The submit form, prefilled with the alert of another session. */
  resubmit: (id: string) => `/submit?resubmit=${encodeURIComponent(id)}`,
  /** The tool calls that wait for a person. */
  approvals: '/approvals',
  system: '/system',
  /** Leads through the configuration of a tool server. */
  connect: '/connect',
  /** The alerts of sources, and what was decided about them. */
  receivedAlerts: '/received-alerts',
  /** Investigations that begin by the calendar. */
  schedules: '/schedules',
  /** What people confirmed in reviews. */
  memories: '/memories',
  tokens: '/tokens',
  auditLog: '/audit-log',
  /** Of this browser. */
  settings: '/settings',
  signIn: '/sign-in',
  /** Where the small window of a sign-in ends. */
  signedIn: '/signed-in',
  session: (id: string) => `/sessions/${encodeURIComponent(id)}`,
  trace: (id: string) => `/sessions/${encodeURIComponent(id)}/trace`,
  /** Asks which sessions to compare. */
  compareAny: '/compare',
  compare: (first: string, second: string) => `/compare?${new URLSearchParams({ first, second })}`,
  report: (id: string) => `/sessions/${encodeURIComponent(id)}/report`,
} as const;

/** The id of a session in a text, such as the address of its page; null without one. */
export function findSessionId(text: string): string | null {
  const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(text)?.[0];
  return id?.toLowerCase() ?? null;
}

/** The session whose path of the API this is, as the server has it: without a base path. Null for any other path. */
export function sessionOfApiPath(path: string): string | null {
  const match = /^\/api\/v1\/sessions\/([0-9a-f-]{36})(?:\/|$)/.exec(path);
  return match?.[1] ?? null;
}

/** The element id of a stage on the session page. */
export function stageAnchor(id: string): string {
  return `stage-${id}`;
}

/** The element id of a step on the session page. */
export function stepAnchor(id: string): string {
  return `step-${id}`;
}

/** The step in a URL fragment such as `#step-ID`; null for any other fragment. */
export function stepFromHash(hash: string): string | null {
  return hash.startsWith('#step-') ? hash.slice('#step-'.length) : null;
}

/** The element id of the call that waits for approval, on the session page. */
export const APPROVAL_ID = 'approval';

/** The element id of the field for questions on the session page. */
export const QUESTION_ID = 'question';

/** The element id of the final analysis on the session page. */
export const ANALYSIS_ID = 'final-analysis';

/** The element id of the executive summary on the session page. */
export const SUMMARY_ID = 'executive-summary';

/** The element id of the earlier sessions on the session page. */
export const SEEN_BEFORE_ID = 'seen-before';

/** The element id of what an investigation did not examine, on the session page. */
export const NOT_EXAMINED_ID = 'not-examined';

function session(id: string): string {
  return `${API}/sessions/${encodeURIComponent(id)}`;
}

export const endpoints = {
  alerts: `${API}/alerts`,
  alertTypes: `${API}/alert-types`,
  demo: `${API}/demo`,
  exampleAlerts: `${API}/example-alerts`,
  sessions: `${API}/sessions`,
  search: `${API}/search`,
  overview: `${API}/overview`,
  prevention: `${API}/prevention`,
  scoreOverview: `${API}/overview/scores`,
  changes: `${API}/changes`,
  filterOptions: `${API}/sessions/filter-options`,
  activeSessions: `${API}/sessions/active`,
  schedules: `${API}/schedules`,
  scheduleRuns: (name: string) => `${API}/schedules/${encodeURIComponent(name)}/runs`,
  session,
  timeline: (id: string) => `${session(id)}/timeline`,
  claims: (id: string) => `${session(id)}/claims`,
  postmortem: (id: string) => `${session(id)}/postmortem?format=markdown`,
  postmortemFacts: (id: string) => `${session(id)}/postmortem?format=json`,
  postmortemProse: (id: string) => `${session(id)}/postmortem/prose`,
  review: (id: string) => `${session(id)}/review`,
  score: (id: string) => `${session(id)}/score`,
  sessionAlerts: (id: string) => `${session(id)}/alerts`,
  receivedAlerts: `${API}/intake/alerts`,
  refusedRequests: `${API}/intake/refused`,
  deletion: (id: string, reason: string) =>
    `${session(id)}?${new URLSearchParams({ reason }).toString()}`,
  cancel: (id: string) => `${session(id)}/cancel`,
  approvals: `${API}/approvals`,
  approval: (id: string, approval: string) =>
    `${session(id)}/approvals/${encodeURIComponent(approval)}`,
  rollback: (id: string, action: string) =>
    `${session(id)}/actions/${encodeURIComponent(action)}/rollback`,
  chatMessages: (id: string) => `${session(id)}/chat/messages`,
  trace: (id: string) => `${session(id)}/trace`,
  llmInteraction: (id: string, interaction: string) =>
    `${session(id)}/trace/llm/${encodeURIComponent(interaction)}`,
  mcpInteraction: (id: string, interaction: string) =>
    `${session(id)}/trace/mcp/${encodeURIComponent(interaction)}`,
  fullResult: (id: string, interaction: string) =>
    `${session(id)}/trace/mcp/${encodeURIComponent(interaction)}/result`,
  replay: (id: string) => `${session(id)}/replay`,
  share: (id: string) => `${session(id)}/share`,
  comparison: (id: string, other: string) =>
    `${session(id)}/comparison?${new URLSearchParams({ with: other })}`,
  runbooks: `${API}/runbooks`,
  warnings: `${API}/system/warnings`,
  mcpServers: `${API}/system/mcp-servers`,
  testMcpServer: (server: string) => `${API}/system/mcp-servers/${encodeURIComponent(server)}/test`,
  testProvider: (name: string) => `${API}/system/llm-providers/${encodeURIComponent(name)}/test`,
  connections: `${API}/system/connections`,
  connectionTrial: `${API}/system/connections/trial`,
  services: `${API}/system/services`,
  defaultTools: `${API}/system/default-tools`,
  systemInfo: `${API}/system/info`,
  systemState: `${API}/system/state`,
  systemConfig: `${API}/system/config`,
  reloadConfiguration: `${API}/system/config/reload`,
  me: `${API}/me`,
  tokens: `${API}/tokens`,
  token: (id: string) => `${API}/tokens/${encodeURIComponent(id)}`,
  memories: `${API}/memories`,
  memory: (id: string) => `${API}/memories/${encodeURIComponent(id)}`,
  auditLog: `${API}/audit-log`,
  unlock: `${API}/unlock`,
  signIn: `${API}/sign-in`,
  signOut: `${API}/sign-out`,
  health: `${BASE_PATH}/health`,
  socket: `${API}/ws`,
} as const;

/** The address of a page, also for what is not the router's: the router's own paths have no base path. */
export function addressOf(page: string): string {
  return `${BASE_PATH}${page}`;
}

/** The address of a page of the documentation: api-gateway leads to the installation's own, if it has one. */
export function documentAddress({ page, anchor }: { page: string; anchor: string }): string {
  return addressOf(`/documentation/${page}${anchor && `#${anchor}`}`);
}

/** Whether an absolute URL is one of the API on the page's origin. */
export function isApiUrl(url: string): boolean {
  return url.startsWith(`${location.origin}${API}/`);
}

/** The WebSocket URL on the page's origin. */
export function socketUrl(location: { protocol: string; host: string }): string {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
  return `${scheme}//${location.host}${endpoints.socket}`;
}
