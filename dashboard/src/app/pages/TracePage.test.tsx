import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { sessionDetail } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';
import { openSession, SESSION_ID, sessionPath } from '../../test/session';

const at = (seconds: string) => `2026-11-22T01:00:${seconds}Z`;

const model = {
  id: 'llm-1',
  interaction_type: 'iteration',
  model_name: 'gemini-2.5-pro',
  input_tokens: 1200,
  output_tokens: 80,
  total_tokens: 1280,
  duration_ms: 2300,
  error_message: null,
  created_at: at('02.5'),
};

const call = {
  id: 'mcp-1',
  interaction_type: 'tool_call',
  status: 'completed',
  server_name: 'kubernetes',
  tool_name: 'pods_list',
  call_number: 1,
  duration_ms: 800,
  error_message: null,
  created_at: at('03'),
};

const refused = {
  ...call,
  id: 'mcp-2',
  status: 'failed',
  tool_name: 'pods_delete',
  call_number: 2,
  refused_by_policy: true,
  error_message: 'the policy of kubernetes does not allow pods_delete',
  created_at: at('04'),
};

const listing = {
  id: 'mcp-0',
  interaction_type: 'tool_list',
  status: 'completed',
  server_name: 'kubernetes',
  tool_name: null,
  created_at: at('02'),
};

function traceOf(llm: readonly object[], mcp: readonly object[], own: readonly object[] = []) {
  return {
    stages: [
      {
        stage_id: 'stage-1',
        stage_name: 'Diagnosis',
        executions: [
          {
            execution_id: 'exec-1',
            agent_name: 'KubernetesAgent',
            llm_interactions: [...llm],
            mcp_interactions: [...mcp],
          },
        ],
      },
    ],
    session_interactions: [...own],
  };
}

const summary = { ...model, id: 'llm-9', interaction_type: 'executive_summary' };

beforeEach(() => {
  server.use(
    answer(sessionPath, sessionDetail({ status: 'completed' })),
    answer(`${sessionPath}/trace`, traceOf([model], [call, refused, listing], [summary])),
  );
});

describe('the trace of a session', () => {
  it('shows all calls by stage and agent in order of time', async () => {
    openPage(`/sessions/${SESSION_ID}/trace`);
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('Trace');
    const rows = await screen.findAllByTestId('trace-row');
    await waitFor(() => expect(document.title).toBe('Trace: HostDiskPressure · TARSy'));
    expect(rows.map((row) => row.id)).toEqual(['mcp-0', 'llm-1', 'mcp-1', 'mcp-2', 'llm-9']);
    const [stage, session] = screen.getAllByTestId('trace-stage');
    expect(stage).toHaveTextContent('KubernetesAgent');
    expect(session).toHaveTextContent('Session');
    expect(session).toHaveTextContent('Executive summary');
    expect(screen.getByTestId('trace-totals')).toHaveTextContent(
      '2 LLM calls, 2 tool calls, 2,560 tokens, 1 failed or refused',
    );
  });

  it('numbers agents with the same name', async () => {
    const [stage] = traceOf([model], []).stages;
    const twin = { agent_name: 'KubernetesAgent', execution_id: 'exec-2' };
    const executions = [...(stage?.executions ?? []), twin];
    server.use(answer(`${sessionPath}/trace`, { stages: [{ ...stage, executions }] }));
    openPage(`/sessions/${SESSION_ID}/trace`);
    expect(await screen.findByRole('list', { name: 'Calls of KubernetesAgent #1' })).toBeVisible();
    expect(screen.getByRole('list', { name: 'Calls of KubernetesAgent #2' })).toBeInTheDocument();
  });

  it('links to the session and back', async () => {
    server.use(answer(`${sessionPath}/timeline`, []));
    const user = userEvent.setup();
    const { router } = openSession();
    await user.click(await screen.findByTestId('trace-link'));
    await user.click(await screen.findByTestId('session-link'));
    await waitFor(() => expect(router.state.location.pathname).toBe(`/sessions/${SESSION_ID}`));
  });

  it('filters calls that a policy refused', async () => {
    const user = userEvent.setup();
    openPage(`/sessions/${SESSION_ID}/trace`);
    await screen.findAllByTestId('trace-row');
    await user.click(screen.getByRole('button', { name: 'Failed' }));
    await waitFor(() => expect(screen.getAllByTestId('trace-row')).toHaveLength(1));
    const row = screen.getByTestId('trace-row');
    expect(within(row).getByTestId('refused-badge')).toHaveTextContent('Refused by policy');
    expect(row).toHaveTextContent('the policy of kubernetes does not allow pods_delete');
  });

  it.each([
    ['length', 'Truncated at the model’s output limit'],
    ['content_filter', 'Stopped by the content filter'],
  ])('marks an LLM call with the finish reason %s', async (finishReason, text) => {
    const stopped = { ...model, finish_reason: finishReason, provider: 'gemini-default' };
    server.use(
      answer(`${sessionPath}/trace`, traceOf([stopped], [])),
      answer(`${sessionPath}/trace/llm/llm-1`, { ...stopped, conversation: [] }),
    );
    const user = userEvent.setup();
    openPage(`/sessions/${SESSION_ID}/trace`);
    expect(await screen.findByTestId('trace-row')).toHaveTextContent(text);
    await user.click(screen.getByRole('button', { name: /^Turn 1/ }));
    const detail = await screen.findByTestId('llm-detail');
    expect(detail).toHaveTextContent('gemini-default');
    expect(detail).toHaveTextContent(finishReason);
  });

  it('shows cached tokens, the wait in line, and an answer whose time was up', async () => {
    const slow = { ...model, timed_out: true, error_message: null };
    server.use(
      answer(`${sessionPath}/trace`, traceOf([slow], [])),
      answer(`${sessionPath}/trace/llm/llm-1`, {
        ...slow,
        response_metadata: { cached_input_tokens: 1_200, waited_ms: 42_000 },
        conversation: [],
      }),
    );
    const user = userEvent.setup();
    openPage(`/sessions/${SESSION_ID}/trace`);
    const row = await screen.findByTestId('trace-row');
    expect(row).toHaveTextContent('Cut off when its time was up');
    await user.click(screen.getByRole('button', { name: /^Turn 1/ }));
    const detail = await screen.findByTestId('llm-detail');
    expect(detail).toHaveTextContent('1,200 read from the provider’s cache');
    expect(detail).toHaveTextContent(/42.s in the provider’s line/);
  });

  it('shows that the model was sent less than the stored conversation', async () => {
    const compaction = { shortened_messages: 12, omitted_messages: 0, whole_tokens: 412_000 };
    const long = { ...model, compaction };
    server.use(
      answer(`${sessionPath}/trace`, traceOf([long], [])),
      answer(`${sessionPath}/trace/llm/llm-1`, { ...long, conversation: [] }),
    );
    const user = userEvent.setup();
    openPage(`/sessions/${SESSION_ID}/trace`);
    expect(await screen.findByTestId('trace-row')).toHaveTextContent('Compacted');
    await user.click(screen.getByRole('button', { name: /^Turn 1/ }));
    const text = '12 messages shortened of about 412,000 tokens, to fit the context window';
    expect(await screen.findByTestId('llm-detail')).toHaveTextContent(text);
  });

  it('shows the tools that were available to an agent', async () => {
    server.use(
      answer(`${sessionPath}/trace/mcp/mcp-0`, {
        ...listing,
        tool_result: '2 tools',
        available_tools: [{ name: 'pods_list', description: 'Lists pods' }, { name: 'pods_log' }],
      }),
    );
    const user = userEvent.setup();
    openPage(`/sessions/${SESSION_ID}/trace`);
    await user.click(await screen.findByRole('button', { name: /Tools of kubernetes/ }));
    const offered = await screen.findByTestId('available-tools');
    expect(offered).toHaveTextContent('pods_listLists pods');
    expect(offered).toHaveTextContent('pods_log');
    expect(screen.getByText('Available to the agent: 2 tools')).toBeInTheDocument();
  });

  it('opens an LLM call with its conversation', async () => {
    server.use(
      answer(`${sessionPath}/trace/llm/llm-1`, {
        ...model,
        thinking_content: 'Let me look at the pods.',
        llm_request: { model: 'gemini-2.5-pro' },
        llm_response: { content: 'It is out of memory.', tool_calls: [] },
        conversation: [
          { role: 'system', content: 'You are an engineer.' },
          {
            role: 'assistant',
            content: '',
            tool_calls: [{ id: 'c', name: 'kubernetes__pods_list', arguments: '{"ns":"shop"}' }],
          },
          { role: 'tool', content: 'pod list', tool_name: 'kubernetes.pods_list' },
        ],
      }),
    );
    const user = userEvent.setup();
    openPage(`/sessions/${SESSION_ID}/trace`);
    await user.click(await screen.findByRole('button', { name: /^Turn 1/ }));
    const detail = await screen.findByTestId('llm-detail');
    expect(detail).toHaveTextContent('1,280 (1,200 in, 80 out)');
    expect(detail).toHaveTextContent('Let me look at the pods.');
    const messages = within(detail).getAllByTestId('trace-message');
    expect(messages).toHaveLength(4);
    expect(messages[3]).toHaveTextContent('It is out of memory.');
    expect(messages[0]).not.toHaveTextContent('Text');
    await user.click(within(detail).getByRole('button', { name: /kubernetes__pods_list/ }));
    expect(messages[1]).toHaveTextContent('"ns": "shop"');
    const label = 'Copy: Arguments of kubernetes__pods_list';
    await user.click(within(detail).getByRole('button', { name: label }));
    expect(JSON.parse(await navigator.clipboard.readText())).toEqual({ ns: 'shop' });
  });

  it('shows requested tool calls, and a response without a conversation', async () => {
    const selection = { id: 'c', name: 'kubernetes__pods_log', arguments: '{"pod":"web-1"}' };
    server.use(
      answer(`${sessionPath}/trace/llm/llm-1`, {
        ...model,
        llm_response: { content: '', tool_calls: [selection] },
        conversation: [{ role: 'user', content: 'Look.' }],
      }),
      answer(`${sessionPath}/trace/llm/llm-9`, {
        ...summary,
        llm_response: { content: 'In short: memory.' },
        conversation: [],
      }),
    );
    const user = userEvent.setup();
    openPage(`/sessions/${SESSION_ID}/trace`);
    await user.click(await screen.findByRole('button', { name: /^Turn 1/ }));
    const detail = await screen.findByTestId('llm-detail');
    const messages = within(detail).getAllByTestId('trace-message');
    expect(messages.map((one) => one.dataset.role)).toEqual(['user', 'assistant']);
    expect(messages[1]).toHaveTextContent('"pod": "web-1"');
    await user.click(screen.getByRole('button', { name: /^Executive summary/ }));
    expect(await screen.findByText(/has no conversation/)).toBeInTheDocument();
    expect(screen.getByText('In short: memory.', { selector: 'pre' })).toBeInTheDocument();
  });

  it('opens a tool call, and its large result in a dialog', async () => {
    server.use(
      answer(`${sessionPath}/trace/mcp/mcp-1`, {
        ...call,
        tool_arguments: { namespace: 'shop' },
        tool_result: `${'pod\n'.repeat(9000)}the end`,
      }),
    );
    const user = userEvent.setup();
    openPage(`/sessions/${SESSION_ID}/trace#mcp-1`);
    const detail = await screen.findByTestId('mcp-detail');
    expect(detail).toHaveTextContent('"namespace": "shop"');
    expect(screen.getByRole('link', { name: 'Show call 1 in timeline' })).toHaveAttribute(
      'href',
      `/sessions/${SESSION_ID}#call-1`,
    );
    await user.click(
      within(detail).getByRole('button', { name: 'Copy: Result of kubernetes.pods_list' }),
    );
    expect(await navigator.clipboard.readText()).toMatch(/the end$/);
    await user.click(within(detail).getByRole('button', { name: 'Copy as curl: the tool call' }));
    expect(await navigator.clipboard.readText()).toBe(
      `curl --fail-with-body '${window.location.origin}${sessionPath}/trace/mcp/mcp-1' \\\n  \${TARSY_TOKEN:+-H"Authorization: Bearer $TARSY_TOKEN"}`,
    );
    await user.click(within(detail).getByTestId('open-text'));
    const dialog = await screen.findByRole('dialog', { name: 'Result of kubernetes.pods_list' });
    expect(await within(dialog).findByTestId('long-text')).toHaveTextContent('the end');
  });

  it('shows the error when a call cannot be loaded', async () => {
    server.use(answer(`${sessionPath}/trace/mcp/mcp-1`, { title: 'Gone' }, 404));
    const user = userEvent.setup();
    openPage(`/sessions/${SESSION_ID}/trace`);
    await user.click(await screen.findByRole('button', { name: /kubernetes\.pods_list/ }));
    expect(await screen.findByText('Could not load call')).toBeInTheDocument();
  });

  it('grows while the session runs', async () => {
    let called = false;
    server.use(
      answer(sessionPath, sessionDetail({ status: 'in_progress' })),
      http.get(`${sessionPath}/trace`, () => HttpResponse.json(traceOf(called ? [model] : [], []))),
    );
    const { relay } = openPage(`/sessions/${SESSION_ID}/trace`);
    expect(await screen.findByTestId('trace-empty')).toHaveTextContent('No calls yet');
    called = true;
    relay.deliver({
      type: 'interaction.created',
      session_id: SESSION_ID,
      db_event_id: 1,
      timestamp: at('02'),
    });
    expect(await screen.findByTestId('trace-row')).toHaveTextContent('Turn 1');
  });

  it('reads the trace after the session, and follows what happens from then on', async () => {
    let respond = () => {};
    const responded = new Promise<void>((resolve) => (respond = resolve));
    server.use(
      http.get(sessionPath, async () => {
        await responded;
        return HttpResponse.json(sessionDetail({ status: 'failed', last_event_id: 41 }));
      }),
      answer(`${sessionPath}/trace`, traceOf([], [])),
    );
    const { relay } = openPage(`/sessions/${SESSION_ID}/trace`);
    expect(await screen.findByTestId('trace-skeleton')).toBeInTheDocument();
    expect(relay.frames('subscribe')).toEqual([]);
    respond();
    expect(await screen.findByTestId('trace-empty')).toHaveTextContent('No calls were recorded');
    expect(relay.frames('subscribe')).toEqual([
      expect.objectContaining({ channel: `session:${SESSION_ID}`, last_event_id: 41 }),
    ]);
  });

  it('shows an unknown session as not found', async () => {
    server.use(
      answer(sessionPath, { title: 'Not found' }, 404),
      answer(`${sessionPath}/trace`, { title: 'Not found' }, 404),
    );
    openPage(`/sessions/${SESSION_ID}/trace`);
    expect(await screen.findByTestId('not-found')).toBeInTheDocument();
  });
});
