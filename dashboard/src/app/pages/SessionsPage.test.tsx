import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { sessionPage, sessionItem } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';

describe('the list of sessions', () => {
  it('links to the submit form when there are no sessions', async () => {
    openPage('/');
    const empty = await screen.findByTestId('empty-list');
    expect(within(empty).getByRole('link', { name: 'Submit an alert' })).toHaveAttribute(
      'href',
      '/submit',
    );
  });

  it('shows running, queued and finished sessions', async () => {
    server.use(
      answer('/api/v1/sessions/active', {
        active: [sessionItem({ id: 'run', status: 'in_progress', completed_at: null })],
        queued: [
          sessionItem({ id: 'wait', status: 'pending', started_at: null, queue_position: 2 }),
        ],
      }),
      answer('/api/v1/sessions', sessionPage([sessionItem({ status: 'half_done' })])),
    );
    openPage('/');
    const rows = await screen.findAllByTestId('active-session');
    expect(rows[0]).toHaveTextContent('In progress');
    expect(rows[1]).toHaveTextContent('Queue position 2');
    const row = await screen.findByTestId('session-row');
    for (const words of ['Half done', 'The disk is full.', '1 m 00 s', '20.5k']) {
      expect(row).toHaveTextContent(words);
    }
  });

  it('shows which sessions wait for approval, and nobody works on', async () => {
    const waits = { status: 'in_progress', completed_at: null, waiting_for_approval: true };
    server.use(
      answer('/api/v1/sessions/active', {
        active: [sessionItem({ id: 'run', ...waits })],
        queued: [],
      }),
      answer(
        '/api/v1/sessions',
        sessionPage([
          sessionItem(waits),
          sessionItem({ id: 'over', status: 'completed', waiting_for_approval: true }),
        ]),
      ),
    );
    openPage('/');
    expect(await screen.findByTestId('active-session')).toHaveTextContent('Waiting for approval');
    const rows = await screen.findAllByTestId('session-row');
    expect(rows[0]).toHaveTextContent('Waiting for approval');
    expect(rows[1]).toHaveTextContent('Completed');
  });

  it.each([
    ['cause_found', 'The disk is full', 'Cause found', 'The disk is full'],
    ['no_fault_found', 'No fault found', 'No fault found', '12G of 40G are used.'],
    ['not_examinable', 'Cannot be examined', 'Cannot be examined', '12G of 40G are used.'],
  ])('shows what was found: %s', async (outcome, headline, label, line) => {
    const finding = { outcome, headline, answer: '12G of 40G are used.', confidence: 'high' };
    server.use(answer('/api/v1/sessions', sessionPage([sessionItem({ finding })])));
    openPage('/');
    const row = await screen.findByTestId('session-row');
    expect(within(row).getByTitle(label)).toHaveTextContent(label);
    expect(within(row).getByTestId('finding-line')).toHaveTextContent(line);
  });

  it('folds the repeats of an alert into its newest session', async () => {
    const of = (id: string, fingerprint: string | null) => sessionItem({ id, fingerprint });
    const rows = [of('a', 'disk'), of('b', null), of('c', 'disk'), of('d', 'disk')];
    server.use(answer('/api/v1/sessions', sessionPage(rows)));
    const { router } = openPage('/');
    expect(await screen.findAllByTestId('session-row')).toHaveLength(2);
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Show 2 more of this alert' }));
    const ids = () => screen.getAllByTestId('session-row').map((row) => row.dataset['sessionId']);
    expect(ids()).toEqual(['a', 'c', 'd', 'b']);
    await router.navigate('/?fingerprint=disk');
    await waitFor(() => expect(ids()).toEqual(['a', 'b', 'c', 'd']));
  });

  it('stores filter, search, order and page in the URL and queries the API with them', async () => {
    const queries: URLSearchParams[] = [];
    server.use(
      http.get('/api/v1/sessions', ({ request }) => {
        queries.push(new URL(request.url).searchParams);
        return HttpResponse.json(sessionPage([sessionItem()], { total_pages: 3, total_items: 60 }));
      }),
    );
    const user = userEvent.setup();
    const { router } = openPage('/?page=2');
    await screen.findByTestId('session-row');
    expect(queries.at(-1)?.get('page')).toBe('2');
    await user.click(await screen.findByRole('button', { name: 'Failed' }));
    await user.type(screen.getByRole('searchbox', { name: 'Search history' }), 'disk');
    await waitFor(() => expect(router.state.location.search).toBe('?status=failed&q=disk'));
    await user.click(screen.getByRole('button', { name: 'Alert' }));
    await waitFor(() =>
      expect(Object.fromEntries(queries.at(-1) ?? [])).toEqual({
        page: '1',
        page_size: '50',
        sort_by: 'alert_type',
        sort_order: 'desc',
        status: 'failed',
        search: 'disk',
      }),
    );
  });

  it('filters by alert type, author, severity and time until the filters are cleared', async () => {
    const queries: URLSearchParams[] = [];
    server.use(
      answer('/api/v1/sessions/filter-options', { alert_types: ['DiskFull', 'PodCrash'] }),
      http.get('/api/v1/sessions', ({ request }) => {
        queries.push(new URL(request.url).searchParams);
        return HttpResponse.json(sessionPage([sessionItem({ author: 'rosa' })]));
      }),
    );
    const last = () => Object.fromEntries(queries.at(-1) ?? []);
    const user = userEvent.setup();
    const { router } = openPage('/');
    await screen.findByTestId('session-row');
    expect(screen.queryByTestId('clear-filters')).not.toBeInTheDocument();
    await user.click(await screen.findByRole('button', { name: 'Filters' }));
    await user.click(await screen.findByRole('combobox', { name: 'Alert type' }));
    await user.click(await screen.findByRole('option', { name: 'PodCrash' }));
    await user.click(screen.getByRole('combobox', { name: 'Author' }));
    await user.click(await screen.findByRole('option', { name: 'rosa' }));
    await user.type(screen.getByRole('combobox', { name: 'Severity' }), 'sev-1{Enter}');
    await user.click(screen.getByRole('combobox', { name: 'Time' }));
    await user.click(await screen.findByRole('option', { name: 'Last 6 hours' }));
    await waitFor(() =>
      expect(router.state.location.search).toBe(
        '?type=PodCrash&author=rosa&severity=sev-1&hours=6',
      ),
    );
    await waitFor(() =>
      expect(last()).toMatchObject({ alert_type: 'PodCrash', author: 'rosa', severity: 'sev-1' }),
    );
    const sixHours = 6 * 3_600_000;
    expect(Date.now() - Date.parse(last()['start_date'] ?? '')).toBeGreaterThanOrEqual(sixHours);
    expect(last()).not.toHaveProperty('end_date');
    await user.click(screen.getByTestId('clear-filters'));
    await waitFor(() => expect(router.state.location.search).toBe(''));
  });

  it('filters between two times of the chosen zone', async () => {
    const queries: URLSearchParams[] = [];
    server.use(
      http.get('/api/v1/sessions', ({ request }) => {
        queries.push(new URL(request.url).searchParams);
        return HttpResponse.json(sessionPage([sessionItem()]));
      }),
    );
    const user = userEvent.setup();
    openPage('/');
    await screen.findByTestId('session-row');
    await user.click(await screen.findByRole('button', { name: 'Filters' }));
    await user.click(await screen.findByRole('combobox', { name: 'Time' }));
    await user.click(await screen.findByRole('option', { name: 'Between two times' }));
    const [from, to] = [await screen.findByLabelText('From'), await screen.findByLabelText('To')];
    fireEvent.change(from, { target: { value: '2026-11-20T08:30' } });
    fireEvent.change(to, { target: { value: '2026-11-20T09:15' } });
    await waitFor(() =>
      expect(Object.fromEntries(queries.at(-1) ?? [])).toMatchObject({
        start_date: new Date('2026-11-20T08:30').toISOString(),
        end_date: new Date('2026-11-20T09:15').toISOString(),
      }),
    );
  });

  it('takes days of older links as a range from midnight to midnight', async () => {
    const queries: URLSearchParams[] = [];
    server.use(
      http.get('/api/v1/sessions', ({ request }) => {
        queries.push(new URL(request.url).searchParams);
        return HttpResponse.json(sessionPage([sessionItem()]));
      }),
    );
    openPage('/?from=2026-11-20&to=2026-11-21');
    await screen.findByTestId('session-row');
    expect(Object.fromEntries(queries.at(-1) ?? [])).toMatchObject({
      start_date: new Date('2026-11-20T00:00').toISOString(),
      end_date: new Date('2026-11-21T23:59:59.999').toISOString(),
    });
  });

  it('lists sessions that have not ended, too, when the overview links to all', async () => {
    const queries: URLSearchParams[] = [];
    server.use(
      http.get('/api/v1/sessions', ({ request }) => {
        queries.push(new URL(request.url).searchParams);
        return HttpResponse.json(sessionPage([sessionItem({ status: 'in_progress' })]));
      }),
    );
    openPage('/?open=true');
    await screen.findByTestId('session-row');
    expect(queries.at(-1)?.get('status')).toBeNull();
    const chip = await screen.findByTestId('filter-open');
    await userEvent.setup().click(within(chip).getByTestId('CancelIcon'));
    await waitFor(() => expect(queries.at(-1)?.get('status')).toContain('completed'));
  });

  it('applies two changes in one render', async () => {
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

  it('opens unfiltered without parameters, whatever was filtered before', async () => {
    const queries: URLSearchParams[] = [];
    server.use(
      http.get('/api/v1/sessions', ({ request }) => {
        queries.push(new URL(request.url).searchParams);
        return HttpResponse.json(sessionPage([sessionItem()]));
      }),
    );
    const first = openPage('/?status=failed&severity=critical&page=3');
    await screen.findByTestId('session-row');
    first.unmount();
    const { router } = openPage('/');
    await screen.findByTestId('session-row');
    expect(router.state.location.search).toBe('');
    expect(queries.at(-1)?.get('status')).toContain('completed');
    expect(queries.at(-1)?.has('severity')).toBe(false);
    expect(screen.queryByTestId('clear-filters')).not.toBeInTheDocument();
  });

  it('links to the first page when the page does not exist', async () => {
    const user = userEvent.setup();
    const { router } = openPage('/?page=9');
    const empty = await screen.findByTestId('empty-page');
    await user.click(within(empty).getByRole('button', { name: 'Go to first page' }));
    await waitFor(() => expect(router.state.location.search).toBe(''));
    expect(await screen.findByTestId('empty-list')).toBeInTheDocument();
  });

  it('does not search for fewer than three characters', async () => {
    const user = userEvent.setup();
    const { router } = openPage('/');
    await user.type(await screen.findByRole('searchbox'), 'di');
    expect(screen.getByText('Enter at least 3 characters')).toBeInTheDocument();
    expect(router.state.location.search).toBe('');
  });

  it('shows an error and retries', async () => {
    const problem = { title: 'Unavailable', status: 503, detail: 'The database is unavailable.' };
    server.use(answer('/api/v1/sessions', problem, 503));
    const user = userEvent.setup();
    openPage('/');
    const error = await screen.findByTestId('error-state');
    expect(error).toHaveTextContent('The database is unavailable.');
    server.use(answer('/api/v1/sessions', sessionPage([sessionItem()])));
    await user.click(within(error).getByRole('button', { name: 'Retry' }));
    expect(await screen.findByTestId('session-row')).toBeInTheDocument();
  });

  it('updates from the live channel', async () => {
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
    relay.deliver({ type: 'session.status', session_id: 'new', status: 'in_progress' });
    const row = await screen.findByTestId('active-session');
    relay.deliver({
      type: 'session.progress',
      session_id: 'new',
      current_stage_name: 'Diagnosis',
      status_text: 'Calling df',
    });
    await waitFor(() => expect(row).toHaveTextContent('Diagnosis: Calling df'));
    relay.deliver({
      type: 'session.progress',
      session_id: 'new',
      current_stage_name: 'Diagnosis',
      status_text: 'Diagnosis (1 of 2): thinking',
    });
    await waitFor(() => expect(screen.getByText('Diagnosis (1 of 2): thinking')).toBeVisible());
  });
});
