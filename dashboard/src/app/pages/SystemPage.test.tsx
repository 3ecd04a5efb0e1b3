import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { keys } from '../../api/keys';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';

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
    expect(first.getByRole('button', { name: /df/ })).toHaveTextContent('read-only');
    const list = first.getByText('path').closest('dl');
    expect(list).toHaveTextContent('path · string · requiredwhere to look');
    expect(list).toHaveTextContent('unit · "MB" or "GB"');
    await user.click(first.getByRole('button', { name: 'Schema' }));
    expect(first.getByTestId('tool-schema')).toHaveTextContent('"required": [ "path" ]');
    await user.click(second.getByRole('button'));
    expect(await second.findByText('No arguments.')).toBeInTheDocument();
    await user.click(third.getByRole('button'));
    expect(await third.findByText('No input schema')).toBeInTheDocument();
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
    for (const warnings of [[], [warning]]) {
      server.use(answer('/api/v1/system/warnings', { warnings }));
      await act(() => client.invalidateQueries({ queryKey: keys.warnings }));
    }
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
