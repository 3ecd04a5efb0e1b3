import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { sessionDetail } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';

const servers = [
  {
    id: 'host',
    healthy: true,
    last_check: '2026-11-22T01:00:00Z',
    tools: ['df', 'ps', 'uptime'].map((name) => ({ name, description: `Runs ${name}.` })),
  },
  { id: 'cluster', healthy: false, tools: [], error: 'no answer' },
];

let bodies: unknown[];

beforeEach(() => {
  bodies = [];
  server.use(
    answer('/api/v1/system/mcp-servers', {
      servers: [...servers, { id: 'foreign', healthy: true, tools: [] }],
    }),
    answer('/api/v1/runbooks', [
      'https://github.com/acme/runbooks/blob/main/disk.md',
      'https://github.com/acme/runbooks/blob/main/net.md',
    ]),
    answer('/api/v1/sessions/new-one', sessionDetail({ id: 'new-one' })),
    answer('/api/v1/sessions/new-one/timeline', []),
    http.post('/api/v1/alerts', async ({ request }) => {
      bodies.push(await request.json());
      return HttpResponse.json({ session_id: 'new-one', status: 'queued' }, { status: 202 });
    }),
  );
});

async function openPicker() {
  const user = userEvent.setup();
  openPage('/submit');
  const picker = within(await screen.findByTestId('tool-picker'));
  await waitFor(() =>
    expect(picker.getByTestId('tool-selection')).toHaveTextContent('default: host'),
  );
  await user.click(picker.getByRole('button', { name: /^Tools/ }));
  await picker.findByRole('checkbox', { name: 'host' });
  return { user, picker };
}

async function sent(user: ReturnType<typeof userEvent.setup>) {
  await user.type(screen.getByTestId('alert-data-input'), 'x');
  await user.click(screen.getByTestId('submit-alert'));
  await waitFor(() => expect(bodies).toHaveLength(1));
  return bodies[0];
}

describe('the tool selection', () => {
  it('is submitted by server and by tool', async () => {
    const { user, picker } = await openPicker();
    await user.click(picker.getByRole('checkbox', { name: 'cluster' }));
    const tools = picker.getByTestId('server-choice-tools');
    await user.click(within(tools).getByRole('button', { name: '3 tools' }));
    await user.click(within(tools).getByRole('checkbox', { name: 'df' }));
    await user.click(within(tools).getByRole('checkbox', { name: 'ps' }));
    expect(picker.getByRole('checkbox', { name: 'host' })).toBePartiallyChecked();
    expect(within(tools).getByRole('button')).toHaveTextContent('2 of 3 tools');
    expect(picker.getByText('Unhealthy')).toBeInTheDocument();
    expect(picker.getByTestId('tool-selection')).toHaveTextContent('cluster, host (2)');
    expect(await sent(user)).toEqual({
      data: 'x',
      mcp: { servers: [{ name: 'cluster' }, { name: 'host', tools: ['df', 'ps'] }] },
    });
  });

  it('of every tool is the whole server, and of no tool is no server', async () => {
    const { user, picker } = await openPicker();
    const tools = picker.getByTestId('server-choice-tools');
    await user.click(within(tools).getByRole('button'));
    for (const name of ['df', 'ps', 'uptime']) {
      await user.click(within(tools).getByRole('checkbox', { name }));
    }
    const host = picker.getByRole('checkbox', { name: 'host' });
    expect(host).toBeChecked();
    expect(picker.getByTestId('tool-selection')).toHaveTextContent(/^host$/);
    for (const name of ['df', 'ps', 'uptime']) {
      await user.click(within(tools).getByRole('checkbox', { name }));
    }
    expect(host).not.toBeChecked();
    expect(await sent(user)).toEqual({ data: 'x' });
  });

  it('sets native tools on, off or to their default', async () => {
    const { user, picker } = await openPicker();
    const search = picker.getByRole('combobox', { name: 'Web search' });
    expect(search).toHaveTextContent('Default (off)');
    expect(picker.getByRole('combobox', { name: 'URL context' })).toHaveTextContent('Default (on)');
    await user.click(search);
    await user.click(screen.getByRole('option', { name: 'On' }));
    await user.click(picker.getByRole('combobox', { name: 'URL context' }));
    await user.click(screen.getByRole('option', { name: 'Off' }));
    expect(await sent(user)).toEqual({
      data: 'x',
      mcp: { native_tools: { google_search: true, url_context: false } },
    });
  });

  it('offers only what the chain allows', async () => {
    const { picker } = await openPicker();
    expect(picker.getAllByTestId('server-choice')).toHaveLength(2);
    expect(picker.queryByRole('checkbox', { name: 'foreign' })).not.toBeInTheDocument();
    expect(picker.queryByRole('combobox', { name: 'Code execution' })).not.toBeInTheDocument();
  });

  it('replaces tool servers by native tools', async () => {
    const { user, picker } = await openPicker();
    await user.click(picker.getByRole('checkbox', { name: 'host' }));
    await user.click(picker.getByRole('checkbox', { name: 'Instead of tool servers' }));
    expect(picker.getByRole('checkbox', { name: 'host' })).not.toBeChecked();
    expect(picker.getByTestId('tool-selection')).toHaveTextContent('no tool server');
    expect(await sent(user)).toEqual({ data: 'x', mcp: { without_servers: true } });
  });

  it('is reset to the chain default', async () => {
    const { user, picker } = await openPicker();
    await user.click(picker.getByRole('checkbox', { name: 'host' }));
    await user.click(picker.getByTestId('tools-reset'));
    expect(picker.getByRole('checkbox', { name: 'host' })).not.toBeChecked();
    expect(await sent(user)).toEqual({ data: 'x' });
  });
});

describe('the runbook', () => {
  it('is selected from the list', async () => {
    const user = userEvent.setup();
    openPage('/submit');
    const field = await screen.findByTestId('runbook-input');
    await user.type(field, 'net');
    await screen.findByText(/Select a runbook or enter its URL/);
    await user.click(await screen.findByTestId('runbook-option'));
    expect(field).toHaveValue('https://github.com/acme/runbooks/blob/main/net.md');
    expect(await sent(user)).toEqual({
      data: 'x',
      runbook: 'https://github.com/acme/runbooks/blob/main/net.md',
    });
  });

  it('can be any other URL', async () => {
    const user = userEvent.setup();
    openPage('/submit');
    await user.type(await screen.findByTestId('runbook-input'), 'https://wiki.example/a.md');
    expect(await sent(user)).toEqual({ data: 'x', runbook: 'https://wiki.example/a.md' });
  });
});
