import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { timelineEvent } from '../../test/builders';
import { openSession, serveSession } from '../../test/session';
import { setScreenWidth } from '../../test/screenWidth';

const longResult = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');

function call(number: number, changes: object = {}) {
  return timelineEvent({
    id: `call-event-${number}`,
    sequence_number: number,
    event_type: 'llm_tool_call',
    content: longResult,
    metadata: {
      server_name: 'host',
      tool_name: `tool${number}`,
      arguments: { path: '/' },
      call_number: number,
    },
    ...changes,
  });
}

function response(changes: object = {}) {
  return timelineEvent({
    id: 'response',
    sequence_number: 9,
    content: 'It is **full** [call 2], see [call 7] and `[call 1]`.',
    ...changes,
  });
}

let scrolledTo: Element[];

beforeEach(() => {
  scrolledTo = [];
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function note(this: Element) {
    scrolledTo.push(this);
  });
});

afterEach(() => window.history.replaceState(null, '', '/'));

describe('a citation', () => {
  it('opens its tool call, which links back', async () => {
    serveSession({}, [call(1), call(2), response()]);
    const user = userEvent.setup();
    openSession();
    const link = await screen.findByRole('link', { name: 'call 2: host.tool2' });
    expect(screen.getAllByTestId('citation')).toHaveLength(1);
    link.focus();
    await user.keyboard('{Enter}');

    const card = screen.getByRole('group', { name: 'Tool call 2: host.tool2, Completed' });
    expect(card).toHaveFocus();
    expect(scrolledTo).toContain(card);
    expect(within(card).getByTestId('tool-result')).toHaveTextContent('line 39');
    expect(within(card).getByTestId('tool-arguments')).toHaveTextContent('"path": "/"');
    expect(window.location.hash).toBe('#call-2');

    const other = screen.getByRole('group', { name: /Tool call 1/ });
    expect(within(other).getByTestId('tool-result')).not.toHaveTextContent('line 39');

    await user.click(within(card).getByTestId('back-to-citation'));
    expect(link).toHaveFocus();
  });

  it('of an unknown call or in code stays plain text', async () => {
    serveSession({}, [call(1), call(2), response()]);
    openSession();
    const item = await screen.findByText(/and/, { selector: 'p' });
    await waitFor(() => expect(item).toHaveTextContent('[call 2], see [call 7] and [call 1].'));
    expect(within(item).getAllByRole('link')).toHaveLength(1);
  });

  it('of a failed call looks failed, and the call is listed as not examined', async () => {
    const metadata = { server_name: 'host', tool_name: 'df', call_number: 1, is_error: true };
    serveSession({ status: 'completed', final_analysis: 'Full [call 1], slow [call 2].' }, [
      call(1, { content: 'timeout', metadata }),
      call(2),
    ]);
    openSession();
    const analysis = within(await screen.findByTestId('final-analysis'));
    const failed = await analysis.findByRole('link', { name: 'call 1: host.df, failed' });
    expect(failed).toHaveAttribute('data-failed', 'true');
    expect(analysis.getByRole('link', { name: 'call 2: host.tool2' })).toHaveAttribute(
      'data-failed',
      'false',
    );
    const gaps = screen.getByTestId('not-examined');
    expect(within(gaps).getByRole('listitem')).toHaveTextContent('call 1: host.df failed');
    const status = within(screen.getByTestId('findings-status'));
    await userEvent.setup().click(status.getByRole('link', { name: 'Not examined: 1' }));
    expect(gaps).toHaveFocus();
  });

  it('many calls that failed are folded, and counted in the head of the page', async () => {
    const failed = [1, 2, 3, 4].map((number) =>
      call(number, {
        metadata: { server_name: 'host', tool_name: 'df', is_error: true, call_number: number },
      }),
    );
    serveSession({ status: 'completed', final_analysis: 'Full [call 1].' }, failed);
    openSession();
    const gaps = within(await screen.findByTestId('not-examined'));
    await userEvent.setup().click(gaps.getByRole('button', { name: /, and 3 more$/ }));
    expect(gaps.getAllByRole('listitem')).toHaveLength(4);
    expect(screen.getByRole('link', { name: 'Not examined: 4' })).toBeInTheDocument();
  });

  it('is linked in every model output', async () => {
    serveSession(
      { final_analysis: 'All of it [call 1]', executive_summary: 'In short [call 1]' },
      [
        call(1),
        response({ id: 'thought', event_type: 'llm_thinking', status: 'streaming' }),
        response({ id: 'q', event_type: 'llm_response', status: 'streaming', content: '[call 1]' }),
      ].map((event, index) => ({ ...event, content: 'x [call 1]', sequence_number: index })),
    );
    openSession();
    await waitFor(() => expect(screen.getAllByTestId('citation')).toHaveLength(4));
    const analysis = screen.getByTestId('final-analysis');
    expect(within(analysis).getByTestId('citation')).toHaveAttribute('href', '#call-1');
  });

  it('in the URL opens its call', async () => {
    window.history.replaceState(null, '', '/#call-2');
    serveSession({}, [call(1), call(2)]);
    openSession();
    const card = await screen.findByRole('group', { name: /Tool call 2/ });
    await waitFor(() => expect(card).toHaveFocus());
    expect(within(card).queryByTestId('back-to-citation')).not.toBeInTheDocument();
  });

  it('selects the tab of the agent that made the call', async () => {
    setScreenWidth(600);
    const agent = { agent_name: 'HostAgent', status: 'completed' };
    const executions = [
      { ...agent, execution_id: 'exec-1', agent_index: 1 },
      { ...agent, execution_id: 'exec-2', agent_index: 2 },
    ];
    const stage = { id: 'stage-1', stage_name: 'Look', status: 'completed', executions };
    serveSession({ stages: [stage], final_analysis: 'Both [call 2]' }, [
      call(1),
      call(2, { execution_id: 'exec-2' }),
    ]);
    const user = userEvent.setup();
    openSession();
    const link = await screen.findByTestId('citation');
    expect(screen.queryByRole('group', { name: /Tool call 2/ })).not.toBeInTheDocument();
    await user.click(link);
    expect(screen.getByRole('tab', { selected: true })).toHaveTextContent('HostAgent #2');
    expect(screen.getByRole('group', { name: /Tool call 2/ })).toHaveFocus();
  });
});
