import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { timelineEvent } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';
import { openSession, serveSession, SESSION_ID, sessionPath } from '../../test/session';

function receivedAlert(changes: object = {}) {
  return {
    id: 'alert-1',
    seq: 7,
    source: 'alertmanager',
    source_id: null,
    fingerprint: 'f1',
    status: 'firing',
    title: 'Disk of db-1 is full',
    severity: 'critical',
    service: 'db',
    namespace: 'shop',
    cluster: null,
    labels: { alertname: 'DiskFull', node: 'db-1' },
    annotations: { summary: '98 % of /var are used' },
    links: [{ title: 'Graph', url: 'https://prometheus.example/graph' }],
    starts_at: '2026-11-22T00:55:00Z',
    ends_at: null,
    alert_type: 'HostDiskPressure',
    chain_id: 'host-health',
    rule: 'disks',
    action: 'open',
    reason: 'new',
    explanation: 'no session covers it yet',
    session_id: SESSION_ID,
    in_session_text: true,
    received_at: '2026-11-22T01:00:00Z',
    repeats: 0,
    last_received_at: '2026-11-22T01:00:00Z',
    released_at: null,
    content: 'problem',
    notes: [],
    ...changes,
  };
}

describe('the session page', () => {
  it('shows the alerts of sources that it is about, and why each belongs to it', async () => {
    const folded = {
      id: 'alert-2',
      action: 'fold',
      explanation: 'the source sent the same alert again',
      repeats: 4,
    };
    serveSession();
    server.use(
      answer(`${sessionPath}/alerts`, {
        alerts: [receivedAlert(folded), receivedAlert()],
        next_before: null,
      }),
    );
    openSession();
    const panel = await screen.findByTestId('session-alerts');
    expect(within(panel).getByRole('heading', { name: 'Alerts (2)' })).toBeInTheDocument();
    const [newest, first] = within(panel).getAllByTestId('session-alert');
    expect(newest).toHaveTextContent('Repeat the source sent the same alert again');
    expect(newest).toHaveTextContent('sent 4 more times');
    expect(first).toHaveTextContent('New session no session covers it yet · rule disks');
    expect(first).toHaveTextContent('db · namespace shop');
    expect(within(first as HTMLElement).getByRole('link', { name: 'Graph' })).toHaveAttribute(
      'href',
      'https://prometheus.example/graph',
    );
    await userEvent.click(
      within(first as HTMLElement).getByRole('button', { name: 'Labels and annotations' }),
    );
    expect(first).toHaveTextContent('alertname: DiskFull');
  });

  it('shows older alerts on request', async () => {
    serveSession();
    server.use(
      http.get(`${sessionPath}/alerts`, ({ request }) => {
        const older = new URL(request.url).searchParams.get('before') === '7';
        return HttpResponse.json(
          older
            ? { alerts: [receivedAlert({ id: 'old', title: 'The first' })], next_before: null }
            : { alerts: [receivedAlert()], next_before: 7 },
        );
      }),
    );
    openSession();
    expect(await screen.findByRole('heading', { name: 'Alerts (1+)' })).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Show older alerts' }));
    expect(await screen.findByText('The first')).toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Alerts (2)' })).toBeInTheDocument();
  });

  it('has no such panel for an alert that was submitted by hand, or without such an API', async () => {
    serveSession();
    server.use(answer(`${sessionPath}/alerts`, { title: 'Not found' }, 404));
    openSession();
    await screen.findByTestId('session-details');
    expect(screen.queryByTestId('session-alerts')).not.toBeInTheDocument();
  });

  it('shows on the timeline that an alert joined the session, and that one is over', async () => {
    const metadata = { alert_id: 'alert-2', source: 'alertmanager', severity: 'warning' };
    const event = { stage_id: null, execution_id: null, event_type: 'alert_received' };
    serveSession({}, [
      timelineEvent({
        ...event,
        id: 'joined',
        content: 'Disk of db-2 is full',
        metadata: { ...metadata, status: 'firing', reason: 'same_group' },
      }),
      timelineEvent({
        ...event,
        id: 'over',
        sequence_number: 2,
        content: 'Disk of db-1 is full',
        metadata: {
          ...metadata,
          status: 'resolved',
          reason: 'resolved_others_firing',
          starts_at: '2026-11-22T00:55:00Z',
          ends_at: '2026-11-22T01:00:00Z',
        },
      }),
    ]);
    openSession();
    const joined = await screen.findByText('Alert firing: Disk of db-2 is full');
    const item = joined.closest('li');
    expect(item).toHaveTextContent('From alertmanager.');
    expect(item).toHaveTextContent('Same group as this session.');
    const over = screen.getByText('Alert resolved: Disk of db-1 is full').closest('li');
    expect(over).toHaveTextContent('Other alerts of this session are still firing.');
  });
});

describe('the page of received alerts', () => {
  let queries: string[];

  beforeEach(() => {
    queries = [];
    server.use(
      answer('/api/v1/intake/refused', { refused: [] }),
      http.get('/api/v1/intake/alerts', ({ request }) => {
        const params = new URL(request.url).searchParams;
        queries.push(params.toString());
        const held = receivedAlert({
          id: 'held',
          action: 'hold',
          explanation: 'quiet hours',
          session_id: null,
          rule: null,
        });
        if (params.get('action') === 'ignore') {
          return HttpResponse.json({ alerts: [], next_before: null });
        }
        return HttpResponse.json({ alerts: [held, receivedAlert()], next_before: 6 });
      }),
    );
  });

  it('lists every alert with what was decided, and links to the session', async () => {
    openPage('/received-alerts');
    const rows = await screen.findAllByTestId('received-alert');
    expect(rows).toHaveLength(2);
    expect(rows[0]).toHaveTextContent('Held quiet hours');
    const [link] = within(rows[1] as HTMLElement).getAllByRole('link', { name: /^Session/ });
    expect(link).toHaveAttribute('href', `/sessions/${SESSION_ID}`);
  });

  it('says what is no problem, and what was changed to keep an alert', async () => {
    const notes = ['label "path": cut to 256 of 9000 characters', 'not JSON: EOF \u202Eat line 1'];
    const unread = receivedAlert({ id: 'raw', content: 'not_understood', notes });
    const alerts = [unread, receivedAlert({ id: 'test', content: 'test' }), receivedAlert()];
    server.use(answer('/api/v1/intake/alerts', { alerts, next_before: null }));
    openPage('/received-alerts');
    const [raw, test, problem] = await screen.findAllByTestId('received-alert');
    expect(within(raw as HTMLElement).getByTestId('alert-content')).toHaveTextContent(
      'Not understood',
    );
    const list = within(raw as HTMLElement).getByRole('list', { name: /to keep this alert/ });
    expect(list).toHaveTextContent('cut to 256 of 9000 characters');
    expect(list).toHaveTextContent('EOF [U+202E]at line 1');
    expect(within(test as HTMLElement).getByTestId('alert-content')).toHaveTextContent('Test');
    expect(within(problem as HTMLElement).queryByTestId('alert-content')).toBeNull();
    expect(within(problem as HTMLElement).queryByTestId('alert-notes')).toBeNull();
  });

  it('shows which senders are refused, and why', async () => {
    const refused = [
      {
        minute: '2026-11-22T01:00:00Z',
        source: 'grafana',
        sender: '10.0.0.7',
        reason: 'unverified',
        requests: 41,
      },
      { minute: '2026-11-22T00:59:00Z', source: '', sender: '', reason: 'busy', requests: 9 },
    ];
    server.use(answer('/api/v1/intake/refused', { refused }));
    openPage('/received-alerts');
    const panel = await screen.findByTestId('refused-requests');
    const [, first, second] = within(panel).getAllByRole('row');
    expect(first).toHaveTextContent('grafana10.0.0.7the sender could not be verified41');
    expect(second).toHaveTextContent('severalseveraltoo much was being received at the time9');
  });

  it('filters by decision and source, and keeps both in the URL', async () => {
    const { router } = openPage('/received-alerts');
    await screen.findAllByTestId('received-alert');
    await userEvent.click(
      screen.getAllByRole('button', { name: 'alertmanager' })[0] as HTMLElement,
    );
    await userEvent.click(screen.getByRole('button', { name: 'Ignored' }));
    expect(await screen.findByTestId('no-matching-alerts')).toBeInTheDocument();
    expect(router.state.location.search).toBe('?source=alertmanager&decision=ignore');
    expect(queries.at(-1)).toBe('source=alertmanager&action=ignore&limit=50');
    await userEvent.click(screen.getByRole('button', { name: 'Show all alerts' }));
    expect(await screen.findAllByTestId('received-alert')).toHaveLength(2);
  });

  it('pages to older alerts', async () => {
    const { router } = openPage('/received-alerts');
    await userEvent.click(await screen.findByRole('button', { name: 'Older' }));
    await waitFor(() => expect(queries.at(-1)).toBe('before=6&limit=50'));
    expect(router.state.location.search).toBe('?before=6');
  });

  it('says what appears here while nothing was received', async () => {
    server.use(answer('/api/v1/intake/alerts', { alerts: [], next_before: null }));
    openPage('/received-alerts');
    expect(await screen.findByTestId('no-alerts')).toHaveTextContent('intake.sources');
  });
});
