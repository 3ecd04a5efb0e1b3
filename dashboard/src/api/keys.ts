/** Keys of the query cache, shared by `live/` and the features. */
import type { AuditQuery } from './auditLog';
import type { ReceivedQuery } from './receivedAlerts';
import type { SearchQuery } from './search';
import type { SessionQuery } from './sessions';

export const keys = {
  lists: ['sessions'] as const,
  active: ['sessions', 'active'] as const,
  history: (query: SessionQuery) => ['sessions', 'history', query] as const,
  histories: ['sessions', 'history'] as const,
  search: (query: SearchQuery) => ['search', query] as const,
  overview: (hours: number) => ['overview', hours] as const,
  scoreOverview: (from: string, to: string) => ['score-overview', from, to] as const,
  changes: (from: string, to: string) => ['changes', from, to] as const,
  filterOptions: ['session-filter-options'] as const,
  progress: ['session-progress'] as const,
  detail: (id: string) => ['session', id, 'detail'] as const,
  feed: (id: string) => ['session', id, 'feed'] as const,
  /** The first steps of the timeline. */
  feedStart: (id: string) => ['session', id, 'feed-start'] as const,
  claims: (id: string) => ['session', id, 'claims'] as const,
  scores: (id: string) => ['session', id, 'scores'] as const,
  reviews: (id: string) => ['session', id, 'reviews'] as const,
  sessionAlerts: (id: string) => ['session', id, 'alerts'] as const,
  receivedAlerts: (query: ReceivedQuery) => ['received-alerts', query] as const,
  refusedRequests: ['refused-requests'] as const,
  earlier: (id: string) => ['session', id, 'earlier'] as const,
  sameAlert: (id: string) => ['session', id, 'same-alert'] as const,
  comparison: (first: string, second: string) => ['comparison', first, second] as const,
  compared: (id: string) => ['compared', id] as const,
  fullResult: (id: string, call: number) => ['session', id, 'result', call] as const,
  trace: (id: string) => ['session', id, 'trace'] as const,
  textStarts: (id: string) => ['session', id, 'text-starts'] as const,
  interaction: (id: string, interaction: string, status: string) =>
    ['session', id, 'interaction', interaction, status] as const,
  approvals: ['approvals'] as const,
  schedules: ['schedules'] as const,
  alertTypes: ['alert-types'] as const,
  exampleAlerts: ['example-alerts'] as const,
  warnings: ['system', 'warnings'] as const,
  mcpServers: ['system', 'mcp-servers'] as const,
  connections: ['system', 'connections'] as const,
  systemInfo: ['system', 'info'] as const,
  services: ['system', 'services'] as const,
  systemState: ['system', 'state'] as const,
  systemConfig: ['system', 'config'] as const,
  defaultTools: (alertType: string) => ['default-tools', alertType] as const,
  runbooks: ['runbooks'] as const,
  me: ['me'] as const,
  tokens: ['tokens'] as const,
  audit: (query: AuditQuery) => ['audit-log', query] as const,
  health: ['system', 'health'] as const,
};
