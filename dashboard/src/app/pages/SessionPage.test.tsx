import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keys } from '../../api/keys';
import { timelineEvent } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';
import { openSession, serveSession, SESSION_ID, sessionPath } from '../../test/session';

const toolCall = {
  id: 'call',
  sequence_number: 2,
  event_type: 'llm_tool_call',
  content: '{"used":"92%"}',
  metadata: { server_name: 'host', tool_name: 'df', arguments: '{"path":"/"}', duration_ms: 842 },
};

const approval = {
  approval_id: 'a1',
  server_name: 'kubernetes-server',
  tool_name: 'pods_delete',
  arguments: { name: 'web-1' },
  reason: 'it may change something',
};

describe('a session', () => {
  it('that does not exist is reported as not found', async () => {
    server.use(answer('/api/v1/sessions/gone', { title: 'Not found', status: 404 }, 404));
    openPage('/sessions/gone');
    expect(await screen.findByText('Session not found')).toBeInTheDocument();
  });

  it('with an id that is none is not found, either', async () => {
    server.use(answer('/api/v1/sessions/abc', { title: 'Invalid request', status: 400 }, 400));
    openPage('/sessions/abc');
    expect(await screen.findByText('Session not found')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'All sessions' })).toHaveAttribute('href', '/');
  });

  it('that is an imported record was not investigated, and is to be replayed', async () => {
    serveSession({ origin: 'recording', status: 'completed', mcp_interaction_count: 23 });
    openSession();
    expect(await screen.findByTestId('record')).toHaveTextContent('23 tool results');
    expect(screen.queryByTestId('review')).not.toBeInTheDocument();
    expect(screen.queryByText(/ended before its investigation/)).not.toBeInTheDocument();
  });

  it('that cannot be loaded shows the error', async () => {
    server.use(
      answer(sessionPath, { title: 'Broken', status: 500, detail: 'Internal failure.' }, 500),
    );
    openSession();
    expect(await screen.findByTestId('error-state')).toHaveTextContent('Internal failure.');
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Broken');
    await waitFor(() => expect(document.title).toBe('Session · TARSy'));
  });

  it('renders its analysis as sanitized Markdown', async () => {
    const analysis = '# Cause\n\n<script>alert(1)</script> ![pixel](http://evil/x.png) **full**';
    serveSession({ final_analysis: analysis });
    openSession();
    const panel = await screen.findByTestId('final-analysis');
    expect(await within(panel).findByRole('heading', { name: 'Cause' })).toBeInTheDocument();
    expect(panel.querySelector('script, img')).toBeNull();
    expect(screen.getByTestId('executive-summary')).toHaveTextContent('The disk is full.');
  });

  it('renders the headings of an analysis below those of the page without gaps', async () => {
    serveSession({ final_analysis: '## Findings\n\n#### Details\n\n## Next' });
    openSession();
    const panel = await screen.findByTestId('final-analysis');
    await within(panel).findByRole('heading', { name: 'Findings', level: 3 });
    expect(within(panel).getByRole('heading', { name: 'Details', level: 4 })).toBeInTheDocument();
    expect(within(panel).getByRole('heading', { name: 'Next', level: 3 })).toBeInTheDocument();
  });

  it('that failed shows its error', async () => {
    serveSession({ status: 'failed', error_message: 'the model did not answer' });
    openSession();
    expect(await screen.findByTestId('session-failure')).toHaveTextContent(
      'The model did not answer',
    );
  });

  it('names the provider that was chosen for it', async () => {
    serveSession({ requested_provider: 'second' });
    openSession();
    expect(await screen.findByTestId('session-details')).toHaveTextContent(
      'Provider overridesecond',
    );
  });

  it('lists the tool override of its alert', async () => {
    const selection = {
      servers: [
        { name: 'host', tools: ['df', 'du'] },
        { name: 'k8s', tools: null },
      ],
      native_tools: { google_search: false, code_execution: null },
    };
    serveSession({ mcp_selection: selection });
    openSession();
    expect(await screen.findByTestId('session-details')).toHaveTextContent(
      'host (df, du); k8s (all); google search off',
    );
  });

  it('is polled to its end while the live channel is disconnected', async () => {
    serveSession({ status: 'in_progress' });
    const { relay, client } = openSession();
    expect(await screen.findByTestId('timeline-empty')).toBeInTheDocument();
    relay.disconnect();
    serveSession({ status: 'completed' }, [timelineEvent({ content: 'The last response' })]);
    await client.invalidateQueries({ queryKey: keys.detail(SESSION_ID) });
    expect(await screen.findByText('The last response')).toBeInTheDocument();
  });

  it('limits the status lines of many running agents', async () => {
    const executions = Array.from({ length: 8 }, (_, index) => ({
      execution_id: `exec-${index}`,
      agent_name: 'Agent',
      agent_index: index + 1,
      status: 'active',
    }));
    const stages = [{ id: 's', stage_name: 'Look', status: 'active', executions }];
    serveSession({ status: 'in_progress', stages });
    const { relay } = openSession();
    await waitFor(() => expect(relay.frames('subscribe')).toHaveLength(1));
    relay.deliver(
      ...executions.map(({ execution_id }) => ({
        type: 'execution.progress',
        session_id: SESSION_ID,
        execution_id,
        phase: 'tool_call',
        message: 'Calling df',
      })),
    );
    await waitFor(() =>
      expect(screen.getByTestId('live-status')).toHaveTextContent(
        '… and 5 more agents are running.',
      ),
    );
    expect(screen.getByTestId('live-status')).toHaveTextContent('Agent #1: Calling df');
    expect(screen.getAllByTestId('execution')[7]).toHaveTextContent('Agent #8 · Running');
  });
});

describe('the timeline', () => {
  const kinds: readonly [string, object, readonly string[]][] = [
    ['llm_thinking', { content: 'I wonder' }, ['Reasoning', 'I wonder']],
    ['llm_response', { content: 'An **answer**' }, ['Response', 'An answer']],
    ['llm_tool_call', toolCall, ['host.df', 'path=/', '"used": "92%"', 'Completed', '842 ms']],
    [
      'llm_tool_call',
      { ...toolCall, content: 'refused', metadata: { ...toolCall.metadata, is_error: true } },
      ['host.df', 'Failed', 'Error', 'refused'],
    ],
    [
      'mcp_tool_summary',
      { content: 'In short', metadata: { server_name: 'host', tool_name: 'df' } },
      ['Summary of host.df', 'In short'],
    ],
    ['error', { content: 'It broke' }, ['Error', 'It broke']],
    ['user_question', { content: 'Why?' }, ['Question', 'Why?']],
    ['executive_summary', { content: 'Summed up' }, ['Executive summary', 'Summed up']],
    ['final_analysis', { content: 'The end' }, ['Stage analysis', 'The end']],
    ['code_execution', { content: 'print(1)' }, ['Code execution', 'print(1)']],
    ['code_execution', { content: '```\nprint(1)\n```\n\n1' }, ['print(1)', 'Output', '1']],
    ['google_search_result', { content: 'Found it' }, ['Web search', 'Found it']],
    ['url_context_result', { content: 'Read it' }, ['URL context', 'Read it']],
    ['crystal_ball', { content: 'Fog' }, ['Crystal ball', 'Fog', 'Completed']],
    [
      'llm_response',
      { status: 'failed', content: 'Half', metadata: { interrupted: true } },
      ['Interrupted before it was complete.'],
    ],
    [
      'llm_response',
      { status: 'cancelled', content: 'Half', metadata: { interrupted: true } },
      ['Cancelled before it was complete.'],
    ],
    [
      'llm_response',
      { status: 'timed_out', content: 'Half', metadata: { interrupted: true } },
      ['Timed out before it was complete.'],
    ],
    [
      'llm_response',
      { content: 'The disk is', metadata: { truncated: true } },
      ['Response', 'The disk is', 'Truncated at the model’s output limit'],
    ],
    [
      'llm_response',
      { content: 'The disk is', metadata: { truncated: true, time_up: true } },
      ['Response', 'The disk is', 'Cut off when its time was up'],
    ],
    [
      'provider_fallback',
      { content: 'no key', metadata: { from: 'gemini', to: 'claude', reason: 'credentials' } },
      ['Provider fallback: gemini → claude', 'no key'],
    ],
    [
      'budget_reached',
      { content: '', metadata: { limit: 'llm_calls', maximum: 40, used: 40 } },
      ['Budget reached: LLM calls (40 of 40)', 'asked to conclude'],
    ],
    [
      'tool_approval',
      {
        status: 'streaming',
        content: '',
        metadata: { ...approval, timeout_seconds: 600 },
      },
      ['Approval needed: kubernetes-server.pods_delete', 'Waiting for approval, at the top'],
    ],
    [
      'tool_approval',
      { content: 'Denied by anna.', metadata: { ...approval, decision: 'denied' } },
      ['Approval: kubernetes-server.pods_delete', 'Denied by anna.'],
    ],
    [
      'llm_tool_call',
      { ...toolCall, metadata: { ...toolCall.metadata, masked: true, masked_values: 2 } },
      ['Masked: 2'],
    ],
    [
      'llm_tool_call',
      { ...toolCall, metadata: { ...toolCall.metadata, is_error: true, refused_by_policy: true } },
      ['Failed', 'Refused by policy'],
    ],
    [
      'llm_tool_call',
      { ...toolCall, metadata: { ...toolCall.metadata, answered_from: 3 } },
      ['Answered from call 3'],
    ],
  ];

  it.each(kinds)('shows %s', async (eventType, changes, words) => {
    serveSession({}, [timelineEvent({ ...changes, event_type: eventType })]);
    openSession();
    const item = await screen.findByTestId('timeline-item');
    for (const word of words) await waitFor(() => expect(item).toHaveTextContent(word));
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a running session', () => {
  const running = { status: 'in_progress', completed_at: null };
  const about = { session_id: SESSION_ID, timestamp: '2026-11-22T01:00:03Z' };

  beforeEach(() => serveSession(running));

  async function openRunning() {
    const page = openSession();
    await waitFor(() =>
      expect(page.relay.frames('subscribe')).toEqual([
        { action: 'subscribe', channel: `session:${SESSION_ID}` },
      ]),
    );
    return page;
  }

  it('streams its response and then shows its analysis, where nobody looks at it', async () => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    const { relay } = await openRunning();
    relay.deliver(
      {
        ...about,
        type: 'timeline_event.created',
        db_event_id: 1,
        event_id: 'r',
        event_type: 'llm_response',
        status: 'streaming',
        content: '',
        sequence_number: 1,
      },
      { ...about, type: 'stream.chunk', event_id: 'r', offset: 0, delta: 'Größe: ' },
    );
    expect(await screen.findByTestId('streaming-text')).toHaveTextContent('Größe:');
    relay.deliver({ ...about, type: 'stream.chunk', event_id: 'r', offset: 9, delta: '92 %' });
    await waitFor(() =>
      expect(screen.getByTestId('streaming-text')).toHaveTextContent('Größe: 92 %'),
    );
    serveSession({ final_analysis: 'All is known.' });
    relay.deliver(
      {
        ...about,
        type: 'timeline_event.completed',
        db_event_id: 2,
        event_id: 'r',
        event_type: 'llm_response',
        status: 'completed',
        content: 'Größe: 92 %.',
      },
      { ...about, type: 'session.status', db_event_id: 3, status: 'completed' },
    );
    await waitFor(() =>
      expect(screen.getByTestId('session-status')).toHaveTextContent('Completed'),
    );
    expect(await screen.findByTestId('final-analysis')).toHaveTextContent('All is known.');
    expect(screen.queryByTestId('streaming-text')).not.toBeInTheDocument();
    expect(await screen.findByTestId('finished-notice')).toHaveTextContent(
      'Investigation completed.',
    );
  });

  it('keeps its place when it ends before the eyes of a reader, who then shows the findings', async () => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('visible');
    const { relay } = await openRunning();
    const verdict = { cause: 'The logs are not rotated', source: 'model' };
    serveSession({ final_analysis: 'All is known.', verdict, claims: { total: 1, verified: 1 } });
    relay.deliver({ ...about, type: 'session.status', db_event_id: 3, status: 'completed' });
    const held = await screen.findByTestId('held-end');
    await waitFor(() => expect(held).toHaveTextContent('Investigation completed.'));
    await waitFor(() => expect(held).toHaveTextContent('The logs are not rotated'));
    expect(screen.getByTestId('session-status')).toHaveTextContent('Completed');
    for (const part of ['final-analysis', 'findings-status', 'finished-notice']) {
      expect(screen.queryByTestId(part)).not.toBeInTheDocument();
    }
    await userEvent.setup().click(within(held).getByRole('button', { name: 'Show findings' }));
    const analysis = await screen.findByTestId('final-analysis');
    expect(screen.getByTestId('executive-summary')).toHaveFocus();
    await userEvent.setup().click(within(analysis).getByRole('button', { name: 'Final analysis' }));
    expect(await within(analysis).findByText('All is known.')).toBeVisible();
    expect(screen.getByTestId('findings-status')).toBeInTheDocument();
    expect(screen.queryByTestId('held-end')).not.toBeInTheDocument();
  });

  it('shows a summary that is stored before the end with the end', async () => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('visible');
    signInAs('admin', ['read', 'delete_session']);
    serveSession({ status: 'in_progress', completed_at: null, executive_summary: 'Logs grew.' });
    const { relay } = await openRunning();
    expect(await screen.findByTestId('alert-data')).toBeVisible();
    expect(screen.queryByTestId('executive-summary')).not.toBeInTheDocument();
    serveSession({ executive_summary: 'Logs grew.', final_analysis: 'All is known.' });
    relay.deliver({ ...about, type: 'session.status', db_event_id: 3, status: 'completed' });
    const held = await screen.findByTestId('held-end');
    expect(screen.queryByTestId('executive-summary')).not.toBeInTheDocument();
    expect(screen.queryByTestId('delete-session')).not.toBeInTheDocument();
    await userEvent.setup().click(within(held).getByRole('button', { name: 'Show findings' }));
    expect(await screen.findByTestId('executive-summary')).toHaveTextContent('Logs grew.');
    expect(await screen.findByTestId('delete-session')).toBeVisible();
  });

  it('shows its current activity', async () => {
    const { relay } = await openRunning();
    relay.deliver({
      ...about,
      type: 'execution.progress',
      stage_id: 'stage-1',
      execution_id: 'exec-1',
      phase: 'tool',
      message: 'Calling host.df',
    });
    await waitFor(() =>
      expect(screen.getByTestId('live-status')).toHaveTextContent('HostAgent: Calling host.df'),
    );
    expect(screen.getByTestId('live-status')).toHaveAttribute('aria-live', 'polite');
  });

  it('is cancelled after a confirmation', async () => {
    server.use(
      http.post(`${sessionPath}/cancel`, () =>
        HttpResponse.json({ session_id: SESSION_ID, message: 'ok' }),
      ),
    );
    const user = userEvent.setup();
    await openRunning();
    await user.click(screen.getByTestId('cancel-session'));
    await user.click(await screen.findByRole('button', { name: 'Cancel investigation' }));
    await waitFor(() => expect(screen.getByTestId('cancel-session')).toBeDisabled());
    expect(screen.getByTestId('cancel-session')).toHaveTextContent('Cancelling…');
  });

  it('that has ended in the meantime is reported when it is cancelled', async () => {
    server.use(
      http.post(`${sessionPath}/cancel`, () =>
        HttpResponse.json({ title: 'Conflict' }, { status: 409 }),
      ),
    );
    const user = userEvent.setup();
    await openRunning();
    await user.click(screen.getByTestId('cancel-session'));
    await user.click(await screen.findByRole('button', { name: 'Cancel investigation' }));
    expect(await screen.findByTestId('cancel-error')).toHaveTextContent('already ended');
  });
});
