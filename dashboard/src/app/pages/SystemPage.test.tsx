import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { keys } from '../../api/keys';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';

const df = {
  name: 'df',
  description: 'Reports disk usage.',
  input_schema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'where to look' },
      unit: { enum: ['MB', 'GB'] },
    },
    required: ['path'],
  },
  annotations: { read_only: true, idempotent: true },
  class: 'read_only',
  class_reason: "policy.read_only has 'df'",
  class_decided_by: 'operator',
};

function serveTools(tools: readonly object[]) {
  server.use(
    answer('/api/v1/system/mcp-servers', { servers: [{ id: 'host', healthy: true, tools }] }),
  );
}

const warning = {
  id: 'mcp.host',
  category: 'mcp_health',
  message: 'The tool server host does not answer',
  details: 'connection refused',
  server_id: 'host',
  created_at: '2026-11-22T01:00:00Z',
};

describe('the system page', () => {
  it('shows the arguments of each tool', async () => {
    serveTools([df, { name: 'uptime', input_schema: { type: 'object' } }, { name: 'ps' }]);
    const user = userEvent.setup();
    openPage('/system');
    await user.click(await screen.findByRole('button', { name: '3 tools' }));
    const tools = await screen.findAllByTestId('tool');
    const [first, second, third] = tools.map((one) => within(one));
    if (!first || !second || !third) throw new Error('three tools were expected');
    await user.click(first.getByRole('button', { name: /df/ }));
    expect(first.getByRole('button', { name: /df/ })).toHaveTextContent('Read-only');
    const list = first.getByText('path').closest('dl');
    expect(list).toHaveTextContent('path · string · requiredwhere to look');
    expect(list).toHaveTextContent('unit · "MB" or "GB"');
    await user.click(first.getByRole('button', { name: 'Schema' }));
    expect(first.getByTestId('tool-schema')).toHaveTextContent('"required": [ "path" ]');
    await user.click(second.getByRole('button'));
    expect(await second.findByText('No arguments')).toBeInTheDocument();
    await user.click(third.getByRole('button'));
    expect(await third.findByText('No input schema')).toBeInTheDocument();
  });

  it('shows the class of each tool, why, and who decided', async () => {
    const query = {
      name: 'query',
      class: 'unknown',
      class_reason: "each call is judged by 'sql' (SQL)",
      class_decided_by: 'call',
    };
    const status = {
      name: 'status',
      annotations: { read_only: true, idempotent: true },
      class: 'unknown',
      class_reason: 'its name has no verb',
      class_decided_by: 'nobody',
    };
    serveTools([df, query, status]);
    const user = userEvent.setup();
    openPage('/system');
    await user.click(await screen.findByRole('button', { name: '3 tools' }));
    const [first, second, third] = await screen.findAllByTestId('tool');
    expect(first).toHaveTextContent("policy.read_only has 'df' (decided by the configuration)");
    expect(second).toHaveTextContent('Judged by call');
    expect(second).toHaveTextContent("judged by 'sql' (SQL) (decided by each call)");
    expect(third).toHaveTextContent('Unknown');
    expect(third).not.toHaveTextContent('Read-only');
    expect(third).toHaveTextContent('decided by nobody');
  });

  it('searches many tools', async () => {
    serveTools(Array.from({ length: 30 }, (_, index) => ({ name: `tool_${index}` })));
    const user = userEvent.setup();
    openPage('/system');
    await user.click(await screen.findByRole('button', { name: '30 tools' }));
    await user.type(await screen.findByRole('textbox', { name: 'Search tools of host' }), 'tool_7');
    expect(screen.getAllByTestId('tool')).toHaveLength(1);
    await user.type(screen.getByRole('textbox', { name: 'Search tools of host' }), 'x');
    expect(screen.getByText('No matching tools.')).toBeInTheDocument();
  });

  it('shows what waits, who works on what, and how full the streams are', async () => {
    server.use(
      answer('/api/v1/system/state', {
        database: {
          version: '17.2',
          size_bytes: 52_428_800,
          connections: 2,
          server_connections: 12,
          max_connections: 100,
          read_only: true,
          schema: { expected: 97, problem: 'migration 97 is missing' },
          standbys: [{ name: 'db-2', state: 'streaming', is_synchronous: false, lag_bytes: 2048 }],
        },
        bus: { version: '2.15.1', storage_bytes: 1024, max_storage_bytes: 4096 },
        queue: {
          pending: 3,
          oldest_pending_at: '2026-11-22T01:00:00Z',
          in_progress: 1,
          dead_letters: 2,
          leases: [
            {
              session_id: 'aaaaaaaa-0000-7000-8000-000000000001',
              owner: 'orchestrator-1',
              expires_at: '2026-11-22T01:00:30Z',
              is_expired: true,
              attempts: 2,
            },
          ],
        },
        streams: [
          {
            name: 'TARSY_EVENTS',
            messages: 4200,
            bytes: 900,
            max_bytes: 1000,
            refuses_when_full: true,
            replicas: 3,
            current_replicas: 2,
            consumers: [{ name: 'notifier', pending: 7, unacknowledged: 1 }],
          },
        ],
      }),
    );
    openPage('/system');
    const queue = await screen.findByTestId('queue');
    expect(queue).toHaveTextContent('Queued3, the oldest');
    expect(queue).toHaveTextContent('12 of 100');
    expect(queue).toHaveTextContent('17.2 Read-only');
    expect(queue).toHaveTextContent('migration 97 is missing');
    expect(queue).toHaveTextContent('Standby db-2streaming · 2 KiB behind');
    expect(screen.getByTestId('streams')).toHaveTextContent(
      'nats-server 2.15.1, 1 KiB of 4 KiB stored',
    );
    const lease = within(queue).getByTestId('lease');
    expect(lease).toHaveTextContent('Lease expired');
    expect(lease).toHaveTextContent('orchestrator-1');
    const stream = screen.getByTestId('stream');
    expect(stream).toHaveTextContent('Nearly full');
    expect(stream).toHaveTextContent('2 of 3 replicas');
    expect(stream).toHaveTextContent('notifier: 7 pending, 1 unacknowledged');
  });

  it('shows the rest when a part fails, and does not ask for it again at once', async () => {
    let asked = 0;
    server.use(
      http.get('/api/v1/system/state', () => {
        asked += 1;
        return HttpResponse.json({ title: 'Not found' }, { status: 404 });
      }),
    );
    openPage('/system');
    expect(await screen.findByText('Could not load the queue')).toBeInTheDocument();
    expect(screen.getByTestId('warnings')).toBeInTheDocument();
    const before = asked;
    await userEvent.click(screen.getByText('No active warnings.'));
    expect(screen.getByText('Could not load the queue')).toBeInTheDocument();
    expect(asked).toBe(before);
  });

  it('names the parts that cannot be reached', async () => {
    openPage('/system');
    expect(await screen.findByTestId('queue')).toHaveTextContent('PostgreSQL is unavailable');
    expect(screen.getByTestId('streams')).toHaveTextContent('JetStream does not answer');
  });

  it('shows the error of a tool server once, with what to do', async () => {
    const error = 'connection refused';
    server.use(
      answer('/api/v1/system/mcp-servers', { servers: [{ id: 'host', healthy: false, error }] }),
      answer('/api/v1/system/warnings', {
        warnings: [{ ...warning, advice: 'Correct the server in tarsy.yaml.' }],
      }),
    );
    openPage('/system');
    expect(await screen.findByTestId('warning-advice')).toHaveTextContent(
      'What to do: Correct the server in tarsy.yaml.',
    );
    expect(screen.getAllByText(error)).toHaveLength(1);
  });

  it('shows a tool server that nobody set up as not configured', async () => {
    const error = 'no kubeconfig';
    server.use(
      answer('/api/v1/system/mcp-servers', {
        servers: [{ id: 'kubernetes-server', healthy: false, error, not_configured: true }],
      }),
    );
    openPage('/system');
    const card = await screen.findByTestId('mcp-server');
    expect(card).toHaveTextContent('Not configured');
    expect(card).toHaveTextContent('Built in, not set up');
    expect(card).not.toHaveTextContent('Unhealthy');
  });

  it('connects to a tool server on request, and says what came of it', async () => {
    serveTools([df]);
    signInAs('operator', ['read', 'accept_tools']);
    const outcomes: object[] = [
      { reachable: false, tool_count: 0, error: 'connection refused', duration_ms: 12 },
      { reachable: true, tool_count: 3, error: null, duration_ms: 250 },
    ];
    server.use(
      http.post('/api/v1/system/mcp-servers/host/test', () =>
        HttpResponse.json(outcomes.shift() ?? null),
      ),
    );
    openPage('/system');
    const button = await screen.findByRole('button', { name: 'Test connection to host' });
    await userEvent.click(button);
    expect(await screen.findByText('connection refused')).toBeInTheDocument();
    await userEvent.click(button);
    expect(await screen.findByText('Connected in 250 ms: 3 tools.')).toBeInTheDocument();
  });

  it('asks a model for a word on request, and says what came of it', async () => {
    signInAs('operator', ['read', 'accept_tools']);
    const of = { model: 'm', usable: true, reason: null };
    server.use(
      answer('/api/v1/system/info', {
        llm: {},
        providers: [
          { ...of, name: 'own' },
          { ...of, name: 'keyless', usable: false, reason: 'KEY is not set' },
        ],
      }),
      http.post('/api/v1/system/llm-providers/own/test', () =>
        HttpResponse.json({ reachable: false, error: 'no such model', duration_ms: 3 }),
      ),
    );
    openPage('/system');
    const button = await screen.findByRole('button', { name: 'Test connection to own' });
    expect(screen.queryByRole('button', { name: 'Test connection to keyless' })).toBeNull();
    await userEvent.click(button);
    expect(await screen.findByText('no such model')).toBeInTheDocument();
  });

  it('lists the providers with what those lack that cannot be called', async () => {
    server.use(
      answer('/api/v1/system/info', {
        version: '0.1.0',
        llm: {},
        providers: [
          { name: 'openai', model: 'o3', usable: false, reason: 'OPENAI_API_KEY is not set' },
          { name: 'offline', model: 'offline-analyst', usable: true, reason: null },
        ],
      }),
    );
    openPage('/system');
    const [first, second] = await screen.findAllByTestId('provider');
    expect(first).toHaveTextContent('offline');
    expect(second).toHaveTextContent('Not usable');
    expect(second).toHaveTextContent('OPENAI_API_KEY is not set');
    expect(screen.getByRole('heading', { name: 'Providers (1 of 2 usable)' })).toBeInTheDocument();
  });

  it('shows which providers fail, with the session of the last failure', async () => {
    const at = '2026-11-22T01:00:00Z';
    const failure = { session_id: 'failed-one', at, message: 'quota exceeded' };
    const of = { name: 'fast', model: 'f', usable: true, reason: null };
    server.use(
      answer('/api/v1/system/info', { llm: {}, providers: [of, { ...of, name: 'slow' }] }),
      answer('/api/v1/system/state', {
        providers: [
          { provider: 'fast', calls: 3, failed: 2, last_call_at: at, last_failure: failure },
          {
            provider: 'slow',
            calls: 1200,
            failed: 1,
            last_call_at: '2026-11-22T01:02:00Z',
            last_failure: failure,
          },
        ],
      }),
    );
    openPage('/system');
    const [fast, slow] = await screen.findAllByTestId('provider');
    await waitFor(() => expect(fast).toHaveTextContent('3 calls in the last hour, 2 failed'));
    expect(fast).toHaveTextContent('Failing');
    expect(fast).toHaveTextContent('quota exceeded');
    const [link] = screen.getAllByRole('link', { name: 'Last failure' });
    expect(link).toHaveAttribute('href', '/sessions/failed-one');
    expect(slow).toHaveTextContent('1,200 calls in the last hour, 1 failed');
    expect(slow).not.toHaveTextContent('Failing');
  });

  it.each([
    [{ replicas: 3, connected_replicas: 2, problem: null }, 'Degraded'],
    [{ replicas: 1, connected_replicas: 0, problem: 'no replica answered' }, 'no replica answered'],
  ])('shows llm-service, and that it is not well: %o', async (state, text) => {
    const answered = { ...state, answered_at: '2026-11-22T01:00:00Z' };
    server.use(answer('/api/v1/system/state', { llm_service: answered }));
    openPage('/system');
    const row = await screen.findByTestId('service');
    expect(row).toHaveTextContent('llm-service');
    expect(row).toHaveTextContent(`${state.connected_replicas} / ${state.replicas} replica`);
    expect(row).toHaveTextContent(text);
  });

  it('shows services without a heartbeat as unavailable', async () => {
    const one = { service: 'orchestrator', instance: 'o-1', seen_at: '2026-11-22T01:00:00Z' };
    server.use(answer('/api/v1/system/services', { services: [one], missing: ['notifier'] }));
    openPage('/system');
    const rows = await screen.findAllByTestId('service');
    expect(rows).toHaveLength(2);
    expect(rows[1]).toHaveTextContent('notifier Unavailable');
  });

  it('shows the running services and configuration mismatches', async () => {
    const about = { version: '0.1.0', config_hash: 'aa', seen_at: '2026-11-22T01:00:00Z' };
    server.use(
      answer('/api/v1/system/services', {
        services: [
          { ...about, service: 'mcp-gateway', instance: 'm-1', capacity: 64, load: 3 },
          { ...about, service: 'orchestrator', instance: 'o-1', config_hash: 'bb' },
        ],
      }),
    );
    openPage('/system');
    const rows = await screen.findAllByTestId('service');
    expect(rows[0]).toHaveTextContent('mcp-gatewaym-10.1.03 / 64');
    const panel = screen.getByTestId('services');
    expect(panel).toHaveTextContent('Configuration mismatch');
    expect(panel).not.toHaveTextContent('Version mismatch');
  });
});

describe('a warning', () => {
  it('is shown on every page until it is dismissed, and on the system page', async () => {
    const other = { ...warning, id: 'bus', message: 'The message bus is unavailable' };
    server.use(answer('/api/v1/system/warnings', { warnings: [warning, other] }));
    const user = userEvent.setup();
    const { router } = openPage('/');
    const banner = await screen.findByTestId('warning-banner');
    expect(banner).toHaveTextContent('The tool server host does not answer (and 1 more)');
    await user.click(within(banner).getByRole('link', { name: 'View warnings' }));
    expect(await screen.findAllByTestId('warning')).toHaveLength(2);
    expect(screen.queryByTestId('warning-banner')).not.toBeInTheDocument();
    await router.navigate('/');
    await user.click(await screen.findByRole('button', { name: 'Dismiss' }));
    expect(screen.queryByTestId('warning-banner')).not.toBeInTheDocument();
  });

  it('stays dismissed after a reload, unless it ends and comes again', async () => {
    server.use(answer('/api/v1/system/warnings', { warnings: [warning] }));
    const user = userEvent.setup();
    const { unmount } = openPage('/');
    await user.click(await screen.findByRole('button', { name: 'Dismiss' }));
    unmount();
    const { client } = openPage('/');
    await waitFor(() => expect(client.getQueryData(keys.warnings)).toBeDefined());
    expect(screen.queryByTestId('warning-banner')).not.toBeInTheDocument();
    const change = (warnings: readonly object[]) => {
      server.use(answer('/api/v1/system/warnings', { warnings: [...warnings] }));
      return act(() => client.invalidateQueries({ queryKey: keys.warnings }));
    };
    await change([]);
    await waitFor(() => expect(localStorage.getItem('tarsy-dismissed')).toBe('[]'));
    await change([warning]);
    expect(await screen.findByTestId('warning-banner')).toBeInTheDocument();
  });

  it('shows one that is new beside those that were dismissed', async () => {
    const other = { ...warning, id: 'bus', message: 'The message bus is unavailable' };
    server.use(answer('/api/v1/system/warnings', { warnings: [warning] }));
    const user = userEvent.setup();
    const { client } = openPage('/');
    await user.click(await screen.findByRole('button', { name: 'Dismiss' }));
    server.use(answer('/api/v1/system/warnings', { warnings: [warning, other] }));
    await act(() => client.invalidateQueries({ queryKey: keys.warnings }));
    expect(await screen.findByTestId('warning-banner')).toHaveTextContent(
      'The message bus is unavailable View warnings',
    );
  });

  it('shows no banner without warnings', async () => {
    const { client } = openPage('/');
    await screen.findByRole('heading', { name: 'Sessions' });
    await waitFor(() => expect(client.getQueryData(keys.warnings)).toEqual({ warnings: [] }));
    expect(screen.queryByTestId('warning-banner')).not.toBeInTheDocument();
  });
});
