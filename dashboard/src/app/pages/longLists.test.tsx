import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { afterEach, describe, expect, it } from 'vitest';
import { timelineEvent } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';
import { openSession, partOf, serveSession, sessionPath } from '../../test/session';
import { FakeViewport } from '../../test/fakeViewport';

function steps(count: number) {
  return Array.from({ length: count }, (_, index) =>
    timelineEvent({
      id: `event-${index + 1}`,
      sequence_number: index + 1,
      event_type: 'llm_tool_call',
      content: `result ${index + 1}`,
      metadata: { server_name: 'host', tool_name: 'df', call_number: index + 1 },
    }),
  );
}

afterEach(() => window.history.replaceState(null, '', '/'));

describe('a timeline with hundreds of steps', () => {
  it('renders the steps near the viewport', async () => {
    const viewport = FakeViewport.install();
    serveSession({ status: 'completed' }, steps(260));
    openSession();
    // The first steps may be shown before the others have arrived.
    await waitFor(() => expect(screen.getAllByTestId('unrendered-rows')).toHaveLength(11));
    const [first] = screen.getAllByTestId('unrendered-rows');
    expect(screen.queryByTestId('timeline-item')).not.toBeInTheDocument();
    // The rows are observed a moment after they are shown.
    await waitFor(() => {
      if (first) viewport.scrollNear(first);
      expect(screen.getAllByTestId('timeline-item')).toHaveLength(25);
    });
    expect(screen.getAllByTestId('unrendered-rows')[0]).toHaveTextContent('Steps 26 to 50');
  });

  it('shows the first steps until the others arrive', async () => {
    FakeViewport.install();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    serveSession({ status: 'completed', llm_interaction_count: 130, mcp_interaction_count: 130 });
    server.use(
      http.get(`${sessionPath}/timeline`, async ({ request }) => {
        if (request.url.includes('after=100')) await released;
        return HttpResponse.json([...partOf(steps(260), request.url)]);
      }),
    );
    openSession();
    expect(await screen.findByTestId('step-count')).toHaveTextContent('of 260 calls');
    expect(screen.getAllByTestId('unrendered-rows')).toHaveLength(4);
    release();
    await waitFor(() => expect(screen.getByTestId('step-count')).toHaveTextContent('260 steps'));
    expect(screen.getAllByTestId('unrendered-rows')).toHaveLength(11);
    expect(screen.queryByTestId('timeline-item')).not.toBeInTheDocument();
  });

  it('renders a cited call wherever it is', async () => {
    FakeViewport.install();
    serveSession({ status: 'completed', final_analysis: 'Full, see [call 130].' }, steps(260));
    const user = userEvent.setup();
    openSession();
    await user.click(await screen.findByTestId('citation'));
    const card = await screen.findByRole('group', { name: /^Tool call 130: host\.df/ });
    await waitFor(() => expect(card).toHaveFocus());
    expect(within(card).getByText('result 130')).toBeInTheDocument();
    expect(screen.getAllByTestId('timeline-item')).toHaveLength(25);
  });

  it('renders steps that arrive live', async () => {
    FakeViewport.install();
    serveSession({ status: 'in_progress' }, steps(250));
    const { relay } = openSession();
    await waitFor(() => expect(screen.getAllByTestId('unrendered-rows')).toHaveLength(10));
    relay.deliver({
      ...timelineEvent({ event_type: 'llm_response', content: 'It is new' }),
      type: 'timeline_event.created',
      event_id: 'new',
      sequence_number: 251,
      timestamp: '2026-11-22T01:10:00Z',
      db_event_id: 1,
    });
    expect(await screen.findByText('It is new')).toBeInTheDocument();
  });

  it('is filtered by category and text, which a citation resets', async () => {
    serveSession({ status: 'completed', final_analysis: 'Full, see [call 3].' }, [
      ...steps(20),
      timelineEvent({ id: 'response', sequence_number: 21, content: 'Memory is fine' }),
      timelineEvent({
        id: 'bad',
        sequence_number: 22,
        event_type: 'error',
        content: 'No answer',
      }),
    ]);
    const user = userEvent.setup();
    openSession();
    const filter = within(await screen.findByTestId('timeline-filter'));
    await user.click(filter.getByRole('button', { name: 'Errors' }));
    await waitFor(() => expect(screen.getAllByTestId('timeline-item')).toHaveLength(1));
    expect(screen.getByTestId('timeline-item')).toHaveTextContent('No answer');
    expect(filter.getByRole('status')).toHaveTextContent('1 of 22 steps');
    await user.click(filter.getByRole('button', { name: 'Responses' }));
    await user.type(filter.getByRole('searchbox', { name: 'Search steps' }), 'disk');
    expect(await screen.findByTestId('timeline-no-match')).toBeInTheDocument();
    await user.click(await screen.findByTestId('citation'));
    const card = await screen.findByRole('group', { name: /^Tool call 3: host\.df/ });
    await waitFor(() => expect(card).toHaveFocus());
    expect(screen.getAllByTestId('timeline-item')).toHaveLength(22);
  });

  it('is searched in arguments and results, and filtered to cited calls', async () => {
    const metadata = { server_name: 'host', tool_name: 'df', call_number: 21 };
    serveSession({ status: 'completed', final_analysis: 'Full, see [call 3].' }, [
      ...steps(20),
      timelineEvent({
        id: 'other',
        sequence_number: 21,
        event_type: 'llm_tool_call',
        content: 'Needle in a result',
        metadata: { ...metadata, arguments: { path: '/var/lib/Haystack' } },
      }),
    ]);
    const user = userEvent.setup();
    openSession();
    const filter = within(await screen.findByTestId('timeline-filter'));
    const search = filter.getByRole('searchbox', { name: 'Search steps' });
    for (const text of ['lib/haystack', 'needle']) {
      await user.clear(search);
      await user.type(search, text);
      await waitFor(() => expect(screen.getAllByTestId('timeline-item')).toHaveLength(1));
      expect(screen.getByTestId('timeline-item')).toHaveTextContent('call 21');
    }
    await user.clear(search);
    await user.click(filter.getByRole('button', { name: 'Cited' }));
    await waitFor(() => expect(screen.getByTestId('timeline-item')).toHaveTextContent('call 3'));
  });

  it('is collapsed to titles, apart from what a citation opens', async () => {
    serveSession({ status: 'completed', final_analysis: 'Full, see [call 3].' }, steps(20));
    const user = userEvent.setup();
    openSession();
    await user.click(await screen.findByRole('button', { name: 'Collapse all' }));
    expect(screen.getAllByTestId('timeline-item')).toHaveLength(20);
    expect(screen.queryByTestId('tool-result')).not.toBeInTheDocument();
    await user.click(await screen.findByTestId('citation'));
    expect(screen.getByTestId('tool-result')).toHaveTextContent('result 3');
    const [first] = screen.getAllByRole('button', { name: 'Expand' });
    expect(first).toHaveAccessibleDescription(/^call 1\s?host\.df$/);
    if (first) await user.click(first);
    expect(screen.getAllByTestId('tool-result')).toHaveLength(2);
    await user.click(screen.getByRole('button', { name: 'Expand all' }));
    expect(screen.getAllByTestId('tool-result')).toHaveLength(20);
  });

  it('with fewer steps is rendered completely', async () => {
    FakeViewport.install();
    serveSession({ status: 'completed' }, steps(90));
    openSession();
    expect(await screen.findAllByTestId('timeline-item')).toHaveLength(90);
  });
});

describe('long lists', () => {
  it('of stages scroll in their panel and link to the stages', async () => {
    const stages = Array.from({ length: 30 }, (_, index) => ({
      id: `s${index}`,
      stage_name: `Part ${index}`,
      stage_index: index + 1,
      status: index === 20 ? 'active' : index < 20 ? 'completed' : 'pending',
      executions: [],
    }));
    serveSession({ status: 'in_progress', stages, total_stages: 30 }, [
      timelineEvent({ stage_id: 's20' }),
    ]);
    openSession();
    const list = await screen.findByTestId('stage-list');
    expect(list).toHaveAttribute('tabindex', '0');
    const link = within(list).getByRole('link', { name: 'Part 20' });
    const section = await screen.findByRole('region', { name: 'Stage Part 20' });
    expect(link).toHaveAttribute('href', `#${section.id}`);
    await userEvent.setup().click(link);
    expect(section).toHaveFocus();
  });

  it('of queued sessions are collapsed to the first ones', async () => {
    const queued = Array.from({ length: 40 }, (_, index) => ({
      id: `00000000-0000-7000-8000-0000000000${index + 10}`,
      alert_type: `Alert${index + 1}`,
      chain_id: 'host',
      status: 'pending',
      author: null,
      created_at: '2026-11-22T01:00:00Z',
      queue_position: index + 1,
    }));
    server.use(answer('/api/v1/sessions/active', { active: [], queued }));
    const user = userEvent.setup();
    openPage('/');
    expect(await screen.findAllByTestId('active-session')).toHaveLength(5);
    await user.click(screen.getByRole('button', { name: 'Show 35 more' }));
    expect(screen.getAllByTestId('active-session')).toHaveLength(40);
  });
});
