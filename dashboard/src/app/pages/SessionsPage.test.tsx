import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { historyOf, sessionItem } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';

describe('the list of sessions', () => {
  it('leads an empty installation to the form', async () => {
    openPage('/');
    const empty = await screen.findByTestId('empty-list');
    expect(within(empty).getByRole('link', { name: 'Submit an alert' })).toHaveAttribute(
      'href',
      '/submit',
    );
  });

  it('shows what runs, what waits and what ended', async () => {
    server.use(
      answer('/api/v1/sessions/active', {
        active: [sessionItem({ id: 'run', status: 'in_progress', completed_at: null })],
        queued: [
          sessionItem({ id: 'wait', status: 'pending', started_at: null, queue_position: 2 }),
        ],
      }),
      answer('/api/v1/sessions', historyOf([sessionItem({ status: 'half_done' })])),
    );
    openPage('/');
    const rows = await screen.findAllByTestId('active-session');
    expect(rows[0]).toHaveTextContent('In progress');
    expect(rows[1]).toHaveTextContent('Number 2 in the queue');
    const row = await screen.findByTestId('session-row');
    for (const words of ['Half done', 'The disk is full.', '1 m 00 s', '20.5k']) {
      expect(row).toHaveTextContent(words);
    }
  });

  it('keeps filter, search, order and page in the address and asks the API with them', async () => {
    const asked: URLSearchParams[] = [];
    server.use(
      http.get('/api/v1/sessions', ({ request }) => {
        asked.push(new URL(request.url).searchParams);
        return HttpResponse.json(historyOf([sessionItem()], { total_pages: 3, total_items: 60 }));
      }),
    );
    const user = userEvent.setup();
    const { router } = openPage('/?page=2');
    await screen.findByTestId('session-row');
    expect(asked.at(-1)?.get('page')).toBe('2');
    await user.click(screen.getByRole('button', { name: 'Failed' }));
    await user.type(screen.getByRole('searchbox', { name: 'Search the history' }), 'disk');
    await waitFor(() => expect(router.state.location.search).toBe('?status=failed&q=disk'));
    await user.click(screen.getByRole('button', { name: 'Duration' }));
    await waitFor(() =>
      expect(Object.fromEntries(asked.at(-1) ?? [])).toEqual({
        page: '1',
        page_size: '25',
        sort_by: 'duration',
        sort_order: 'desc',
        status: 'failed',
        search: 'disk',
      }),
    );
  });

  it('filters by kind and by days of the reader’s calendar, until the filters are cleared', async () => {
    const asked: URLSearchParams[] = [];
    server.use(
      answer('/api/v1/sessions/filter-options', { alert_types: ['DiskFull', 'PodCrash'] }),
      http.get('/api/v1/sessions', ({ request }) => {
        asked.push(new URL(request.url).searchParams);
        return HttpResponse.json(historyOf([sessionItem()]));
      }),
    );
    const user = userEvent.setup();
    const { router } = openPage('/');
    await screen.findByTestId('session-row');
    expect(screen.queryByTestId('clear-filters')).not.toBeInTheDocument();
    await user.click(await screen.findByRole('combobox', { name: 'Alert type' }));
    await user.click(await screen.findByRole('option', { name: 'PodCrash' }));
    fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-11-20' } });
    fireEvent.change(screen.getByLabelText('To'), { target: { value: '2026-11-21' } });
    await waitFor(() =>
      expect(router.state.location.search).toBe('?type=PodCrash&from=2026-11-20&to=2026-11-21'),
    );
    await waitFor(() =>
      expect(Object.fromEntries(asked.at(-1) ?? [])).toMatchObject({
        alert_type: 'PodCrash',
        start_date: new Date('2026-11-20T00:00').toISOString(),
        end_date: new Date('2026-11-21T23:59:59.999').toISOString(),
      }),
    );
    await user.click(screen.getByTestId('clear-filters'));
    await waitFor(() => expect(router.state.location.search).toBe(''));
  });

  it('takes two changes at once', async () => {
    const { router } = openPage('/');
    const failed = await screen.findByRole('button', { name: 'Failed' });
    const late = screen.getByRole('button', { name: 'Timed out' });
    act(() => {
      failed.click();
      late.click();
    });
    await waitFor(() => expect(router.state.location.search).toBe('?status=failed%2Ctimed_out'));
    expect(await screen.findByRole('button', { name: 'Timed out', pressed: true })).toBeVisible();
    expect(screen.getByRole('button', { name: 'Failed', pressed: true })).toBeVisible();
  });

  it('is found again as it was left', async () => {
    server.use(answer('/api/v1/sessions', historyOf([sessionItem()])));
    const user = userEvent.setup();
    const first = openPage('/?status=failed&sort=author&page=3');
    await screen.findByTestId('session-row');
    first.unmount();
    const { router } = openPage('/');
    await waitFor(() => expect(router.state.location.search).toBe('?status=failed&sort=author'));
    await user.click(await screen.findByTestId('clear-filters'));
    await waitFor(() => expect(router.state.location.search).toBe('?sort=author'));
  });

  it('leads back from a page that is no more', async () => {
    const user = userEvent.setup();
    const { router } = openPage('/?page=9');
    const empty = await screen.findByTestId('empty-page');
    await user.click(within(empty).getByRole('button', { name: 'To the first page' }));
    await waitFor(() => expect(router.state.location.search).toBe(''));
    expect(await screen.findByTestId('empty-list')).toBeInTheDocument();
  });

  it('asks for more letters instead of searching for two', async () => {
    const user = userEvent.setup();
    const { router } = openPage('/');
    await user.type(await screen.findByRole('searchbox'), 'di');
    expect(screen.getByText('Type at least 3 characters')).toBeInTheDocument();
    expect(router.state.location.search).toBe('');
  });

  it('says that it failed and tries again', async () => {
    const problem = { title: 'Unavailable', status: 503, detail: 'The database is away.' };
    server.use(answer('/api/v1/sessions', problem, 503));
    const user = userEvent.setup();
    openPage('/');
    const error = await screen.findByTestId('error-state');
    expect(error).toHaveTextContent('The database is away.');
    server.use(answer('/api/v1/sessions', historyOf([sessionItem()])));
    await user.click(within(error).getByRole('button', { name: 'Try again' }));
    expect(await screen.findByTestId('session-row')).toBeInTheDocument();
  });

  it('follows the live channel', async () => {
    const { relay } = openPage('/');
    await screen.findByTestId('empty-list');
    await waitFor(() =>
      expect(relay.frames('subscribe')).toEqual([{ action: 'subscribe', channel: 'sessions' }]),
    );
    server.use(
      answer('/api/v1/sessions/active', {
        active: [sessionItem({ id: 'new', status: 'in_progress' })],
        queued: [],
      }),
    );
    relay.say({ type: 'session.status', session_id: 'new', status: 'in_progress' });
    const row = await screen.findByTestId('active-session');
    relay.say({
      type: 'session.progress',
      session_id: 'new',
      current_stage_name: 'Diagnosis',
      status_text: 'Calling df',
    });
    await waitFor(() => expect(row).toHaveTextContent('Diagnosis: Calling df'));
    relay.say({
      type: 'session.progress',
      session_id: 'new',
      current_stage_name: 'Diagnosis',
      status_text: 'Diagnosis (1 of 2): thinking',
    });
    await waitFor(() => expect(screen.getByText('Diagnosis (1 of 2): thinking')).toBeVisible());
  });
});
