import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';

const PATH = '/api/v1/system/connections';

const name = { name: 'server', label: 'Name', help: 'What TARSy calls it.', required: true };
const url = { name: 'url', label: 'Address', help: 'Where it answers.', required: true };
const token = {
  name: 'token_variable',
  label: 'Variable with the token',
  help: 'The name of the environment variable.',
  default: '',
  required: false,
};
const kinds = [
  {
    name: 'prometheus',
    title: 'Prometheus',
    description: 'Asks in PromQL.',
    requires: 'uvx of uv.',
    fields: [
      { ...name, default: 'prometheus' },
      { ...url, default: 'http://localhost:9090' },
      token,
    ],
    can_be_tried: false,
  },
  {
    name: 'tool-server',
    title: 'Tool server',
    description: 'Any MCP server.',
    requires: '',
    fields: [
      { ...name, default: 'tools' },
      { ...url, default: 'http://localhost:8000/mcp' },
    ],
    can_be_tried: true,
  },
];

const lines = {
  server: 'prometheus',
  yaml: 'mcp_servers:\n  "prometheus":\n    transport:\n',
  variables: ['PROM_TOKEN'],
  replaces: false,
};

beforeEach(() => server.use(answer(PATH, { kinds })));

describe('the page Connect', () => {
  it('sends what is filled in, and shows the lines with what to do next', async () => {
    const sent: unknown[] = [];
    server.use(
      http.post(PATH, async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(lines);
      }),
    );
    const user = userEvent.setup();
    openPage('/connect?system=prometheus');
    const address = await screen.findByRole('textbox', { name: 'Address' });
    expect(address).toHaveValue('http://localhost:9090');
    expect(screen.getByText('Needs uvx of uv.')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Try address' })).not.toBeInTheDocument();
    await user.clear(address);
    await user.type(address, 'http://prom:9090');
    await user.type(
      screen.getByRole('textbox', { name: 'Variable with the token (optional)' }),
      'PROM_TOKEN{Enter}',
    );
    const shown = await screen.findByTestId('connect-lines');
    expect(sent).toEqual([
      {
        kind: 'prometheus',
        fields: { server: 'prometheus', url: 'http://prom:9090', token_variable: 'PROM_TOKEN' },
      },
    ]);
    expect(within(shown).getByTestId('connect-yaml')).toHaveTextContent('mcp_servers:');
    expect(shown).toHaveTextContent('Set PROM_TOKEN where the tool gateway runs');
    expect(shown).toHaveTextContent('tarsy config reload');
    expect(
      within(shown).getByRole('button', { name: 'Copy: Lines for tarsy.yaml' }),
    ).toBeInTheDocument();
    expect(shown).toContainElement(document.activeElement as HTMLElement);
    expect(screen.getByTestId('connect-test')).toHaveTextContent(
      'prometheus is not configured yet',
    );
    await user.type(address, '0');
    expect(screen.queryByTestId('connect-lines')).not.toBeInTheDocument();
  });

  it('says at each field what is wrong, and moves the focus to the first', async () => {
    const errors = [
      { field: 'url', message: 'must be an address with http:// or https://' },
      { field: 'token_variable', message: 'must be the name of an environment variable' },
    ];
    server.use(
      http.post(PATH, () =>
        HttpResponse.json({ title: 'Invalid', detail: 'bad values', errors }, { status: 400 }),
      ),
    );
    const user = userEvent.setup();
    openPage('/connect');
    await user.click(await screen.findByRole('button', { name: 'Show lines' }));
    const address = await screen.findByRole('textbox', { name: 'Address' });
    await waitFor(() =>
      expect(address).toHaveAccessibleDescription(
        'Address must be an address with http:// or https://.',
      ),
    );
    expect(address).toHaveFocus();
    expect(address).toBeInvalid();
    expect(
      screen.getByRole('textbox', { name: 'Variable with the token (optional)' }),
    ).toBeInvalid();
    expect(screen.queryByTestId('connect-error')).not.toBeInTheDocument();
    await user.type(address, 'x');
    expect(address).toBeValid();
  });

  it('tests the server once it is configured, and shows its tools', async () => {
    signInAs('operator', ['read', 'accept_tools']);
    server.use(
      http.post(PATH, () => HttpResponse.json({ ...lines, variables: [], replaces: true })),
      answer('/api/v1/system/mcp-servers', {
        servers: [{ id: 'prometheus', healthy: true, tools: [{ name: 'execute_query' }] }],
      }),
      http.post('/api/v1/system/mcp-servers/prometheus/test', () =>
        HttpResponse.json({ tool_count: 1, error: null, duration_ms: 250 }),
      ),
    );
    const user = userEvent.setup();
    openPage('/connect');
    await user.click(await screen.findByRole('button', { name: 'Show lines' }));
    expect(await screen.findByText(/the lines replace it/)).toBeInTheDocument();
    const test = await screen.findByRole('button', { name: 'Test connection to prometheus' });
    await user.click(test);
    expect(await screen.findByText('Connected in 250 ms: 1 tool.')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: '1 tool' }));
    expect(await screen.findByText('execute_query')).toBeInTheDocument();
  });

  it('tries the address of a tool server, for those who may', async () => {
    signInAs('admin', ['read', 'try_address']);
    const sent: unknown[] = [];
    const outcomes = [
      { tools: [], error: 'connection refused', duration_ms: 3 },
      { tools: [{ name: 'df', description: 'Disk usage.\nMore.' }], error: null, duration_ms: 40 },
    ];
    server.use(
      http.post(`${PATH}/trial`, async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(outcomes.shift() ?? null);
      }),
    );
    const user = userEvent.setup();
    openPage('/connect');
    await user.click(await screen.findByRole('radio', { name: 'Tool server' }));
    const button = await screen.findByRole('button', { name: 'Try address' });
    await user.click(button);
    expect(await screen.findByText('connection refused')).toBeInTheDocument();
    await user.click(button);
    expect(await screen.findByText('Connected in 40 ms: 1 tool.')).toBeInTheDocument();
    expect(screen.getByRole('list', { name: 'Tools at the address' })).toHaveTextContent(
      'df Disk usage.',
    );
    expect(sent).toEqual(Array(2).fill({ url: 'http://localhost:8000/mcp' }));
  });

  it('tries nothing for those who may not, and says what to do without the token of the start', async () => {
    openPage('/connect?system=tool-server');
    expect(await screen.findByTestId('local-token-hint')).toHaveTextContent('To try the address');
    expect(screen.queryByRole('button', { name: 'Try address' })).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Show lines' })).toBeEnabled();
  });

  it('says why the systems could not be loaded', async () => {
    server.use(answer(PATH, { title: 'Unavailable' }, 503));
    openPage('/connect');
    expect(await screen.findByText('Could not load systems')).toBeInTheDocument();
  });
});
