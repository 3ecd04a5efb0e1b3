import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { sessionDetail, timelineEvent } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';
import { FakeWindow } from '../../test/window';

const id = 'aaaaaaaa-0000-7000-8000-000000000001';

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

describe('a timeline of hundreds of steps', () => {
  const reader = () => new FakeWindow();

  it('is put on the page where the reader is', async () => {
    const view = reader();
    server.use(
      answer(`/api/v1/sessions/${id}`, sessionDetail({ status: 'completed' })),
      answer(`/api/v1/sessions/${id}/timeline`, steps(260)),
    );
    openPage(`/sessions/${id}`);
    const [first] = await screen.findAllByTestId('rows-away');
    expect(screen.getAllByTestId('rows-away')).toHaveLength(11);
    expect(screen.queryByTestId('timeline-item')).not.toBeInTheDocument();
    if (first) view.near(first);
    expect(screen.getAllByTestId('timeline-item')).toHaveLength(25);
    expect(screen.getAllByTestId('rows-away')[0]).toHaveTextContent('Steps 26 to 50');
  });

  it('shows the call that is cited, however far away', async () => {
    reader();
    server.use(
      answer(
        `/api/v1/sessions/${id}`,
        sessionDetail({ status: 'completed', final_analysis: 'Full, see [call 130].' }),
      ),
      answer(`/api/v1/sessions/${id}/timeline`, steps(260)),
    );
    const user = userEvent.setup();
    openPage(`/sessions/${id}`);
    await user.click(await screen.findByTestId('citation'));
    const card = await screen.findByRole('group', { name: /^Tool call 130: host\.df/ });
    await waitFor(() => expect(card).toHaveFocus());
    expect(within(card).getByText('result 130')).toBeInTheDocument();
    expect(screen.getAllByTestId('timeline-item')).toHaveLength(25);
  });

  it('shows what comes while the reader is there', async () => {
    reader();
    server.use(
      answer(`/api/v1/sessions/${id}`, sessionDetail({ status: 'in_progress' })),
      answer(`/api/v1/sessions/${id}/timeline`, steps(250)),
    );
    const { relay } = openPage(`/sessions/${id}`);
    await screen.findAllByTestId('rows-away');
    relay.say({
      ...timelineEvent({ event_type: 'llm_response', content: 'It is fresh' }),
      type: 'timeline_event.created',
      event_id: 'fresh',
      sequence_number: 251,
      timestamp: '2026-11-22T01:10:00Z',
      db_event_id: 1,
    });
    expect(await screen.findByText('It is fresh')).toBeInTheDocument();
  });

  it('is searched by kind and by words, and a citation still finds its call', async () => {
    server.use(
      answer(
        `/api/v1/sessions/${id}`,
        sessionDetail({ status: 'completed', final_analysis: 'Full, see [call 3].' }),
      ),
      answer(`/api/v1/sessions/${id}/timeline`, [
        ...steps(20),
        timelineEvent({ id: 'said', sequence_number: 21, content: 'Memory is fine' }),
        timelineEvent({
          id: 'bad',
          sequence_number: 22,
          event_type: 'error',
          content: 'No answer',
        }),
      ]),
    );
    const user = userEvent.setup();
    openPage(`/sessions/${id}`);
    const filter = within(await screen.findByTestId('timeline-filter'));
    await user.click(filter.getByRole('button', { name: 'Trouble' }));
    await waitFor(() => expect(screen.getAllByTestId('timeline-item')).toHaveLength(1));
    expect(screen.getByTestId('timeline-item')).toHaveTextContent('No answer');
    expect(filter.getByRole('status')).toHaveTextContent('1 of 22 steps');
    await user.click(filter.getByRole('button', { name: 'Answers' }));
    await user.type(filter.getByRole('searchbox', { name: 'Words in a step' }), 'disk');
    expect(await screen.findByTestId('timeline-no-match')).toBeInTheDocument();
    await user.click(await screen.findByTestId('citation'));
    const card = await screen.findByRole('group', { name: /^Tool call 3: host\.df/ });
    await waitFor(() => expect(card).toHaveFocus());
    expect(screen.getAllByTestId('timeline-item')).toHaveLength(22);
  });

  it('of few steps stands on the page as a whole', async () => {
    reader();
    server.use(
      answer(`/api/v1/sessions/${id}`, sessionDetail({ status: 'completed' })),
      answer(`/api/v1/sessions/${id}/timeline`, steps(90)),
    );
    openPage(`/sessions/${id}`);
    expect(await screen.findAllByTestId('timeline-item')).toHaveLength(90);
  });
});

describe('long lists', () => {
  it('of stages scroll in themselves, and lead to their stage', async () => {
    const stages = Array.from({ length: 30 }, (_, index) => ({
      id: `s${index}`,
      stage_name: `Part ${index}`,
      stage_index: index + 1,
      status: index === 20 ? 'active' : index < 20 ? 'completed' : 'pending',
      executions: [],
    }));
    server.use(
      answer(
        `/api/v1/sessions/${id}`,
        sessionDetail({ status: 'in_progress', stages, total_stages: 30 }),
      ),
      answer(`/api/v1/sessions/${id}/timeline`, [timelineEvent({ stage_id: 's20' })]),
    );
    openPage(`/sessions/${id}`);
    const list = await screen.findByTestId('stage-list');
    expect(list).toHaveAttribute('tabindex', '0');
    const link = within(list).getByRole('link', { name: 'Part 20' });
    const section = await screen.findByRole('region', { name: 'Stage Part 20' });
    expect(link).toHaveAttribute('href', `#${section.id}`);
    await userEvent.setup().click(link);
    expect(section).toHaveFocus();
  });

  it('of the queue show their first, and all when asked', async () => {
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
    expect(await screen.findAllByTestId('active-session')).toHaveLength(10);
    await user.click(screen.getByRole('button', { name: 'Show 30 more in the queue' }));
    expect(screen.getAllByTestId('active-session')).toHaveLength(40);
  });
});
