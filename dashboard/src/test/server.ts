/** The mock API: healthy and without data unless a test overrides a handler. */
import { http, HttpResponse, type JsonBodyType } from 'msw';
import { setupServer } from 'msw/node';

export function answer(path: string, body: JsonBodyType, status = 200) {
  return http.get(path, () => HttpResponse.json(body, { status }));
}

const page = { page: 1, page_size: 25, total_pages: 0, total_items: 0 };

export const server = setupServer(
  answer('/health', { status: 'healthy', version: '0.1.0', checks: {} }),
  answer('/api/v1/system/info', {
    version: '0.1.0',
    llm: { provider: 'google', model: 'gemini', backend: 'native', offline: false, message: '' },
  }),
  answer('/api/v1/sessions/active', { active: [], queued: [] }),
  answer('/api/v1/approvals', { approvals: [] }),
  answer('/api/v1/overview/scores', {
    groups: [],
    agreement: { sessions: 0, agreeing: 0, kappa: null, needed: 30 },
  }),
  answer('/api/v1/changes', { changes: [], next_before: null }),
  answer('/api/v1/sessions/filter-options', {
    alert_types: [],
    chain_ids: [],
    statuses: [],
    assignees: [],
  }),
  answer('/api/v1/sessions', { sessions: [], pagination: page }),
  answer('/api/v1/sessions/:id/claims', { title: 'Not found' }, 404),
  answer('/api/v1/sessions/:id/triage', { triage: 'new', assignee: null, entries: [] }),
  answer('/api/v1/sessions/:id/alerts', { alerts: [], next_before: null }),
  answer('/api/v1/intake/alerts', { alerts: [], next_before: null }),
  answer('/api/v1/alert-types', {
    alert_types: [{ type: 'HostDiskPressure', chain_id: 'host-health', description: 'Disks.' }],
    default_chain_id: 'host-health',
    default_alert_type: 'HostDiskPressure',
  }),
  answer('/api/v1/example-alerts', { examples: [] }),
  answer('/api/v1/system/warnings', { warnings: [] }),
  answer('/api/v1/system/mcp-servers', { servers: [] }),
  answer('/api/v1/system/services', { services: [] }),
  answer('/api/v1/system/state', { database: null, queue: null, streams: null }),
  answer('/api/v1/system/default-tools', {
    alert_type: 'HostDiskPressure',
    mcp_servers: ['host'],
    native_tools: { google_search: false, code_execution: false, url_context: true },
    allowed_mcp_servers: ['host', 'cluster'],
    allowed_native_tools: ['google_search', 'url_context'],
  }),
  answer('/api/v1/runbooks', []),
  answer('/api/v1/me', {
    name: 'api-client',
    role: 'admin',
    permissions: [
      'read',
      'read_trace',
      'submit_alert',
      'ask_question',
      'cancel_session',
      'approve_call',
      'replay_session',
    ],
    mode: 'local',
    insecure: false,
  }),
);

/** Makes the sender of the page's requests a user with these permissions. */
export function signInAs(role: string, permissions: readonly string[]): void {
  const user = { name: 'alice', role, permissions, mode: 'proxy', insecure: false };
  server.use(answer('/api/v1/me', user));
}
