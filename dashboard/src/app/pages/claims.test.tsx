import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { run } from 'axe-core';
import { delay, http } from 'msw';
import { afterEach, describe, expect, it } from 'vitest';
import { sessionItem, sessionPage, timelineEvent } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';
import { openSession, serveSession, sessionPath } from '../../test/session';

const analysis = 'The disk has 3 GiB free [call 1]. It filled at 12:00.';
const about = { kind: 'quantity', call: null, line: null, shown: null };
const free = { ...about, text: '3 GiB', start: 13, end: 18, verdict: 'contradicted' };
const filled = { ...about, kind: 'time', text: '12:00', start: 47, end: 52, verdict: 'supported' };

function check(changes: object = {}) {
  return {
    id: 'check-1',
    text: 'final_analysis',
    execution_id: 'exec-1',
    timeline_event_id: 'analysis-event',
    checked_at: '2026-11-22T01:01:01Z',
    successful_calls: 1,
    claims: 2,
    verified: 1,
    items: [
      { ...free, call: 1, line: 4, shown: '30 GiB' },
      { ...filled, call: 1, line: 2 },
    ],
    items_left_out: 0,
    ...changes,
  };
}

const call = timelineEvent({
  id: 'call-event',
  event_type: 'llm_tool_call',
  metadata: { server_name: 'host', tool_name: 'df', call_number: 1 },
});

function serve(changes: object = {}) {
  serveSession(
    {
      status: 'completed',
      final_analysis: analysis,
      claims: { total: 2, verified: 1 },
      degraded: true,
      degraded_reasons: ['unverified_claims'],
      ...changes,
    },
    [
      call,
      timelineEvent({
        id: 'analysis-event',
        sequence_number: 2,
        event_type: 'final_analysis',
        content: analysis,
      }),
    ],
  );
}

function serveChecks(...checks: readonly object[]) {
  server.use(answer(`${sessionPath}/claims`, { checks: [...checks] }));
}

afterEach(() => window.history.replaceState(null, '', '/'));

describe('checked claims', () => {
  it('are marked in the analysis and counted beside it', async () => {
    serve();
    serveChecks(check());
    const { container } = openSession();
    const panel = within(await screen.findByTestId('final-analysis'));
    const marks = await panel.findAllByTestId('claim');
    expect(marks.map(({ dataset }) => dataset.verdict)).toEqual(['contradicted', 'supported']);
    expect(await panel.findByTestId('check-summary')).toHaveTextContent(
      '1 of 2 quotes found in tool results',
    );
    expect(panel.getByText(/AI-generated\. Verify before you act/)).toBeInTheDocument();
    await userEvent.setup().click(panel.getByRole('button', { name: /quotes found/ }));
    expect(panel.getAllByTestId('claim-item')).toHaveLength(2);
    const { violations } = await run(container, {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });

  it('are counted before the timeline is loaded, so that nothing moves when it is', async () => {
    serve();
    serveChecks(check());
    server.use(http.get(`${sessionPath}/timeline`, () => delay('infinite')));
    openSession();
    const panel = within(await screen.findByTestId('final-analysis'));
    expect(await panel.findByTestId('check-summary')).toHaveTextContent(
      '1 of 2 quotes found in tool results',
    );
  });

  it('link to the call that shows something else', async () => {
    serve();
    serveChecks(check());
    openSession();
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Contradicted: 3 GiB' }));
    const popover = within(screen.getByTestId('claim-popover'));
    expect(popover.getByTestId('claim-shown')).toHaveTextContent('30 GiB');
    await user.click(popover.getByRole('link', { name: 'call 1: host.df' }));
    const shown = await screen.findByRole('group', { name: /Tool call 1: host.df/ });
    await waitFor(() => expect(shown).toHaveFocus());
  });

  it('that a text does not have are no success', async () => {
    serve();
    serveChecks(check({ claims: 0, verified: 0, items: [] }));
    openSession();
    const panel = within(await screen.findByTestId('final-analysis'));
    const summary = await panel.findByTestId('check-summary');
    expect(summary).toHaveTextContent('No quotes to look up');
    expect(summary.querySelector('svg')).toBeNull();
  });

  it('are filtered to those that are not verified', async () => {
    serve();
    serveChecks(check());
    openSession();
    const status = within(await screen.findByTestId('findings-status'));
    expect(status.getByText('1 of 2 quotes found in tool results')).toBeInTheDocument();
    await waitFor(() => expect(screen.getAllByTestId('claim')).toHaveLength(2));
    const filter = status.getByRole('button', { name: 'Show unverified only' });
    await userEvent.setup().click(filter);
    expect(filter).toHaveAttribute('aria-pressed', 'true');
    const marks = screen.getAllByTestId('claim');
    expect(marks.map(({ dataset }) => dataset.verdict)).toEqual(['contradicted']);
  });

  it('are not marked in a text that is not the checked one', async () => {
    serve({ final_analysis: `Note: ${analysis}` });
    serveChecks(check());
    openSession();
    const item = await screen.findByText('Stage analysis');
    expect(item).toBeInTheDocument();
    const panel = within(screen.getByTestId('final-analysis'));
    expect(panel.queryByTestId('check-summary')).not.toBeInTheDocument();
  });

  it('appear when the check ends', async () => {
    serve({ claims: null, degraded: false, degraded_reasons: [] });
    const { relay } = openSession();
    await waitFor(() => expect(relay.frames('subscribe')).toHaveLength(1));
    expect(screen.queryByTestId('findings-status')).not.toBeInTheDocument();
    serve();
    serveChecks(check());
    relay.deliver({
      type: 'claims.checked',
      session_id: 'aaaaaaaa-0000-7000-8000-000000000001',
      timestamp: '2026-11-22T01:05:03Z',
      db_event_id: 1,
      timeline_event_id: 'analysis-event',
    });
    expect(await screen.findByTestId('check-summary')).toBeInTheDocument();
    expect(await screen.findByTestId('findings-status')).toBeInTheDocument();
  });

  it('of a text that could not be checked are named as such', async () => {
    serve({ claims: null, degraded_reasons: ['not_checked', 'no_successful_call'] });
    serveChecks(check({ failure: 'timed_out', claims: 0, verified: 0, items: [] }));
    openSession();
    expect(await screen.findByTestId('check-summary')).toHaveTextContent(
      'Claims were not checked: the check timed out',
    );
    expect(screen.getByTestId('degradation')).toHaveTextContent(
      'Check them yourself. No tool call succeeded',
    );
  });
});

describe('an API without checks', () => {
  it('shows neither marks nor counts', async () => {
    serve({ claims: undefined, degraded: undefined, degraded_reasons: undefined });
    openSession();
    expect(await screen.findByTestId('final-analysis')).toHaveTextContent('3 GiB');
    await waitFor(() => expect(screen.getByTestId('citation')).toBeInTheDocument());
    expect(screen.queryByTestId('claim')).not.toBeInTheDocument();
    expect(screen.queryByTestId('findings-status')).not.toBeInTheDocument();
    expect(screen.queryByTestId('degradation')).not.toBeInTheDocument();
  });
});

it('a degraded session is marked in the list, with its reasons', async () => {
  const degraded = {
    claims: { total: 19, verified: 17 },
    degraded: true,
    degraded_reasons: ['unverified_claims'],
  };
  server.use(
    answer(
      '/api/v1/sessions',
      sessionPage([
        sessionItem(degraded),
        sessionItem({ id: 'aaaaaaaa-0000-7000-8000-000000000002' }),
      ]),
    ),
  );
  openPage('/');
  const [first, second] = await screen.findAllByTestId('session-row');
  expect(first).toHaveTextContent(
    'Degraded: Some statements are not backed by the results they cite',
  );
  expect(second).not.toHaveTextContent('Degraded');
});
