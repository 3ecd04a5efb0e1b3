import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { timelineEvent } from '../../test/builders';
import { openSession, serveSession, SESSION_ID } from '../../test/session';
import { setScreenWidth } from '../../test/screenWidth';

const executions = [
  {
    execution_id: 'exec-1',
    agent_name: 'LogAgent',
    agent_index: 1,
    status: 'completed',
    llm_provider: 'gemini',
    total_tokens: 12_345,
    tokens_estimated: true,
    duration_ms: 5600,
  },
  {
    execution_id: 'exec-2',
    agent_name: 'HostAgent',
    agent_index: 2,
    status: 'failed',
    llm_provider: 'gemini',
    active_provider: 'claude',
    total_tokens: 0,
    error_message: 'the model did not answer',
  },
];

const stages = [
  {
    id: 'stage-1',
    stage_name: 'Look',
    stage_index: 1,
    status: 'completed',
    expected_agent_count: 2,
    executions,
  },
  {
    id: 'stage-2',
    stage_name: 'Summary of the logs',
    joins_stage_id: 'stage-1',
    stage_index: 2,
    status: 'completed',
    expected_agent_count: 1,
    executions: [
      {
        execution_id: 'exec-3',
        agent_name: 'SynthesisAgent',
        agent_index: 1,
        status: 'completed',
        llm_provider: 'gemini',
      },
    ],
  },
];

const events = [
  timelineEvent({ id: 'one', sequence_number: 1, content: 'Logs are fine' }),
  timelineEvent({
    id: 'switch',
    sequence_number: 2,
    execution_id: 'exec-2',
    event_type: 'provider_fallback',
    content: 'gemini refused the key',
    metadata: { from: 'gemini', to: 'claude', reason: 'credentials' },
  }),
  timelineEvent({ id: 'two', sequence_number: 3, execution_id: 'exec-2', content: 'Disk is full' }),
  timelineEvent({ id: 'three', sequence_number: 4, content: 'Nothing in the logs' }),
  timelineEvent({
    id: 'joined',
    sequence_number: 5,
    stage_id: 'stage-2',
    execution_id: 'exec-3',
    content: 'All agree',
  }),
];

function serve(changes: object = {}, list: readonly object[] = events) {
  serveSession({ stages, total_stages: 2, ...changes }, list);
}

beforeEach(() => serve());

describe('an agent with one that it dispatched', () => {
  it('are shown side by side, and count as one agent of the stage', async () => {
    setScreenWidth(1300);
    const lead = {
      execution_id: 'exec-1',
      agent_name: 'Lead',
      agent_index: 1,
      status: 'completed',
    };
    const dispatched = {
      execution_id: 'exec-2',
      agent_name: 'Looker',
      agent_index: 1,
      parent_execution_id: 'exec-1',
      task: 'Look at the disk',
      status: 'completed',
    };
    const [stage] = stages;
    serve({ stages: [{ ...stage, expected_agent_count: 1, executions: [lead, dispatched] }] });
    openSession();
    const [, lane] = await screen.findAllByTestId('agent-lane');
    if (!lane) throw new Error('two lanes were expected');
    expect(lane).toHaveAccessibleName('↳ Looker');
    expect(within(lane).getByTestId('agent-task')).toHaveTextContent('Look at the disk');
    await waitFor(() => expect(lane).toHaveTextContent('Disk is full'));
    expect(screen.getByTestId('agent-count')).toHaveTextContent('1 agent');
  });
});

describe('the call that dispatched an agent', () => {
  it('shows its task, and when its result came back', async () => {
    setScreenWidth(1300);
    const agent = { agent_index: 1, agent_name: 'Looker', task: 'Look at the disk' };
    const dispatched = {
      ...agent,
      execution_id: 'exec-2',
      parent_execution_id: 'exec-1',
      status: 'active',
    };
    const [stage] = stages;
    const lead = { ...agent, execution_id: 'exec-1', agent_name: 'Lead', status: 'active' };
    const serveWith = (changes: object) => {
      const agents = [lead, { ...dispatched, ...changes }];
      const call = timelineEvent({
        event_type: 'llm_tool_call',
        execution_id: 'exec-1',
        stage_id: stage?.id,
        content: 'Sub-agent 1 (Looker) works on it.',
        metadata: {
          server_name: 'tarsy',
          tool_name: 'dispatch_agent',
          call_number: 1,
          arguments: { name: 'Looker', task: 'Look at the disk' },
          dispatched_execution_id: 'exec-2',
        },
      });
      serveSession({ stages: [{ ...stage, expected_agent_count: 1, executions: agents }] }, [call]);
    };
    serveWith({});
    const { unmount } = openSession();
    const running = await screen.findByTestId('dispatched');
    expect(running).toHaveTextContent('Look at the diskNo result yet');
    const [item] = screen.getAllByTestId('timeline-item');
    expect(item).toHaveTextContent('call 1↳ Looker');
    expect(item).not.toHaveTextContent('Sub-agent 1');
    unmount();
    serveWith({
      status: 'completed',
      completed_at: '2026-11-22T01:00:09Z',
      duration_ms: 5_600,
    });
    openSession();
    expect(await screen.findByTestId('dispatched')).toHaveTextContent(
      /^Look at the diskResult at \d\d:\d\d:09, after 5\.6 s$/,
    );
  });
});

describe('two agents of one stage', () => {
  it('are shown in columns on a wide screen', async () => {
    setScreenWidth(1300);
    openSession();
    const [logs, host] = await screen.findAllByTestId('agent-lane');
    if (!logs || !host) throw new Error('two lanes were expected');
    expect(logs).toHaveAccessibleName('LogAgent');
    expect(logs).toHaveTextContent('Completed');
    expect(within(logs).getByTestId('agent-facts')).toHaveTextContent(
      'gemini · about 12.3k tokens · 5.6 s',
    );
    await waitFor(() => expect(logs).toHaveTextContent('Nothing in the logs'));
    expect(logs).not.toHaveTextContent('Disk is full');
    expect(within(host).getByTestId('agent-error')).toHaveTextContent('The model did not answer');
    expect(within(host).getByTestId('agent-facts')).toHaveTextContent('gemini → claude');
    expect(within(host).getAllByTestId('timeline-item')).toHaveLength(2);
    expect(screen.getByTestId('agent-count')).toHaveTextContent('2 agents');
  });

  it('are followed by their synthesis', async () => {
    setScreenWidth(1300);
    openSession();
    expect(await screen.findByTestId('synthesis-header')).toHaveTextContent(
      'Synthesis of 2 agents in “Look”',
    );
    expect(await screen.findByTestId('stages')).toHaveTextContent('2 parallel agents');
    const lines = screen.getAllByTestId('execution').map((line) => line.textContent);
    expect(lines[0]).toBe('LogAgent · Completed · gemini · about 12.3k tokens');
    expect(lines[1]).toContain('HostAgent · Failed · claude');
  });

  it('are shown in tabs on a narrow screen', async () => {
    setScreenWidth(500);
    const user = userEvent.setup();
    openSession();
    const tabs = await screen.findAllByRole('tab');
    expect(tabs.map((tab) => tab.textContent)).toEqual([
      'LogAgent · Completed',
      'HostAgent · Failed',
    ]);
    expect(screen.getByRole('tabpanel')).toHaveAccessibleName('LogAgent · Completed');
    const second = tabs[1];
    if (!second) throw new Error('two tabs were expected');
    await user.click(second);
    await waitFor(() => expect(screen.getByRole('tabpanel')).toHaveTextContent('Disk is full'));
    expect(screen.getByRole('tabpanel')).not.toHaveTextContent('Logs are fine');
    // A link to a step on the same page selects its tab.
    act(() => {
      window.location.hash = '#step-three';
    });
    await waitFor(() => expect(screen.getByRole('tabpanel')).toHaveTextContent('Logs are fine'));
    window.history.replaceState(null, '', '/');
  });

  it('are separated before their executions are loaded', async () => {
    setScreenWidth(1300);
    const [first] = stages;
    serve({
      status: 'in_progress',
      stages: [{ ...first, status: 'active', expected_agent_count: 1, executions: [] }],
    });
    openSession();
    expect(await screen.findAllByTestId('agent-lane')).toHaveLength(2);
  });

  it('are shown with their progress before their first step', async () => {
    setScreenWidth(1300);
    const [first] = stages;
    const working = executions.map((one) => ({ ...one, status: 'active', error_message: null }));
    serve(
      { status: 'in_progress', stages: [{ ...first, status: 'active', executions: working }] },
      [],
    );
    const { relay } = openSession();
    expect(await screen.findAllByText('No steps yet.')).toHaveLength(2);
    expect(screen.getByTestId('agent-count')).toHaveTextContent('0 of 2 agents finished');
    await waitFor(() => expect(relay.frames('subscribe')).toHaveLength(1));
    relay.deliver({
      type: 'execution.progress',
      session_id: SESSION_ID,
      timestamp: 't',
      execution_id: 'exec-2',
      phase: 'tool',
      message: 'Calling host.df',
    });
    expect(await screen.findByTestId('agent-progress')).toHaveTextContent('Calling host.df');
  });
});

describe('the budget', () => {
  it('shows the usage of its limits', async () => {
    const budget = {
      llm_calls: { limit: 40, used: 10 },
      tokens: { limit: 100_000, used: 85_000 },
      tool_calls: { limit: 20, used: 20 },
    };
    serve({ budget });
    openSession();
    const bars = within(await screen.findByTestId('budget')).getAllByRole('meter');
    const tones = bars.map((bar) => bar.dataset.tone);
    expect(tones).toEqual(['success', 'warning', 'error']);
    expect(screen.getByRole('meter', { name: 'Tokens' })).toHaveAttribute(
      'aria-valuetext',
      '85,000 of 100,000',
    );
    expect(screen.getByTestId('budget')).toHaveTextContent('20 of 20, limit reached');
  });

  it('is hidden without limits', async () => {
    openSession();
    expect(await screen.findByTestId('stages')).toBeInTheDocument();
    expect(screen.queryByTestId('budget')).not.toBeInTheDocument();
  });
});

describe('a running tool call', () => {
  const call = timelineEvent({
    id: 'call',
    event_type: 'llm_tool_call',
    status: 'streaming',
    content: '',
    updated_at: null,
    metadata: { server_name: 'host', tool_name: 'df', call_number: 1 },
  });

  it('shows its progress until it ends', async () => {
    serve({ status: 'in_progress', stages: [stages[1]] }, [call]);
    const { relay } = openSession();
    expect(await screen.findByTestId('tool-progress')).toHaveTextContent('Waiting for result');
    await waitFor(() => expect(relay.frames('subscribe')).toHaveLength(1));
    const about = { session_id: SESSION_ID, timestamp: '2026-11-22T01:05:03Z', event_id: 'call' };
    relay.deliver({ ...about, type: 'execution.progress', phase: 'tool', message: '3 of 9 disks' });
    await waitFor(() =>
      expect(screen.getByTestId('tool-progress')).toHaveTextContent('3 of 9 disks'),
    );
    relay.deliver({
      ...about,
      type: 'timeline_event.completed',
      db_event_id: 1,
      event_type: 'llm_tool_call',
      status: 'completed',
      content: 'done',
    });
    await waitFor(() => expect(screen.getByTestId('tool-result')).toHaveTextContent('done'));
    expect(screen.queryByTestId('tool-progress')).not.toBeInTheDocument();
  });
});

describe('a summary', () => {
  it('that was interrupted is replaced by the next attempt', async () => {
    const metadata = { server_name: 'host', tool_name: 'logs', call_number: 4 };
    const about = { stage_id: 'stage-2', metadata };
    const call = timelineEvent({ ...about, id: 'call', event_type: 'llm_tool_call' });
    const failed = timelineEvent({
      ...about,
      id: 'first',
      sequence_number: 2,
      event_type: 'mcp_tool_summary',
      status: 'failed',
      content: 'Half of',
    });
    serve({ stages: [stages[1]] }, [call, failed]);
    const { client, unmount } = openSession();
    const card = await screen.findByTestId('summary-card');
    expect(card).toHaveTextContent('The summary was interrupted. The agent did not receive it.');
    unmount();
    client.clear();
    const second = { id: 'second', sequence_number: 3, status: 'completed', content: 'All of it' };
    serve({ stages: [stages[1]] }, [call, failed, { ...failed, ...second }]);
    openSession();
    await waitFor(() => expect(screen.getByTestId('summary-card')).toHaveTextContent('All of it'));
    expect(screen.getAllByTestId('timeline-item')).toHaveLength(1);
  });

  it('is shown under its call with both sizes', async () => {
    const metadata = { server_name: 'host', tool_name: 'logs', call_number: 4 };
    serve({ stages: [stages[1]] }, [
      timelineEvent({
        id: 'call',
        event_type: 'llm_tool_call',
        content: 'much text',
        metadata,
        stage_id: 'stage-2',
      }),
      timelineEvent({
        id: 'short',
        sequence_number: 2,
        stage_id: 'stage-2',
        event_type: 'mcp_tool_summary',
        content: 'Three errors',
        metadata: {
          ...metadata,
          original_tokens: 412_000,
          summary_tokens: 380,
          backend: 'langchain',
          model: 'gpt-small',
        },
      }),
    ]);
    openSession();
    const card = within(await screen.findByTestId('tool-card'));
    expect(await card.findByText('Three errors')).toBeInTheDocument();
    expect(card.getByTestId('summary-sizes')).toHaveTextContent('412k → 380 tokens');
    expect(card.getByTestId('summary-card')).toHaveTextContent('by langchain · gpt-small');
    expect(screen.getAllByTestId('timeline-item')).toHaveLength(1);
  });
});
