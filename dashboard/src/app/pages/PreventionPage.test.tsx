import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';

const SESSION = '01a20000-0000-7000-8000-000000000009';
const LAST = { last_at: '2026-11-25T10:00:00Z', last_session_id: SESSION };

const quiet = {
  week: null,
  previous_week: '2026-W47',
  next_week: null,
  from: '2026-11-23T11:00:00Z',
  to: '2026-11-30T11:00:00Z',
  sessions: 1,
  sessions_before: 0,
  is_cut: false,
  causes: [],
  alerts: [],
  tools: [],
  sources: [],
};

const busy = {
  ...quiet,
  sessions: 40,
  sessions_before: 12,
  is_cut: true,
  causes: [
    {
      ...LAST,
      category: 'out_of_memory',
      object_kind: 'workload',
      object: 'cart',
      namespace: 'shop',
      cause: 'cart is over its limit \u202Egnp',
      sessions: 3,
      sessions_before: 1,
      reviewed: 2,
      actions: 2,
      actions_worked: 1,
    },
  ],
  alerts: [
    {
      ...LAST,
      fingerprint: 'abc',
      alert_type: 'host',
      title: 'Disk full',
      sessions: 4,
      sessions_before: 5,
      reviewed: 1,
    },
  ],
  tools: [
    {
      server: 'loki',
      tool: 'query',
      calls: 10,
      failed: 4,
      calls_before: 0,
      failed_before: 0,
      last_error_kind: 'unreachable',
      last_error: 'connection refused',
      last_session_id: SESSION,
    },
  ],
  sources: [
    {
      source: 'grafana',
      not_understood: 7,
      not_understood_before: 0,
      refused: 3,
      refused_before: 0,
      refusal_reasons: ['unverified'],
      last_at: LAST.last_at,
    },
  ],
};

describe('the page of prevention', () => {
  it('shows what came again, beside the week before, with links to what it counts', async () => {
    server.use(answer('/api/v1/prevention', busy));
    openPage('/prevention');
    const causes = within(await screen.findByTestId('recurring-causes'));
    const row = causes.getByRole('row', { name: /Out of memory: workload cart in namespace shop/ });
    expect(row).toHaveTextContent('cart is over its limit [U+202E]gnp');
    expect(row).toHaveTextContent('1 of 2');
    const counted = within(row).getByRole('link', { name: /^3 sessions of Out of memory/ });
    expect(counted.getAttribute('href')).toMatch(/^\/search\?q=cart&from=2026-11-23/);
    const last = within(row).getByRole('link', { name: /last session of Out of memory/ });
    expect(last).toHaveAttribute('href', `/sessions/${SESSION}`);
    const alerts = within(screen.getByTestId('needless-alerts'));
    expect(alerts.getByRole('link', { name: '4 sessions of Disk full' })).toHaveAttribute(
      'href',
      '/?fingerprint=abc',
    );
    const tools = within(screen.getByTestId('unreliable-tools'));
    expect(tools.getByRole('row', { name: /loki.query/ })).toHaveTextContent('40 %–Unreachable');
    const failed = tools.getByRole('link', { name: '4 failed calls of loki.query' });
    expect(failed.getAttribute('href')).toContain('failed_tool=query');
    const sources = within(screen.getByTestId('unread-sources'));
    expect(sources.getByRole('link', { name: /^7 requests of grafana/ })).toHaveAttribute(
      'href',
      '/received-alerts?source=grafana',
    );
    expect(
      screen.getByText(
        '40 sessions, 12 in the week before. The newest 20,000 of each week are counted.',
      ),
    ).toBeInTheDocument();
  });

  it('goes from week to week, and says when nothing came again', async () => {
    server.use(
      http.get('/api/v1/prevention', ({ request }) => {
        const week = new URL(request.url).searchParams.get('week');
        const of = { week, previous_week: '2026-W46', next_week: '2026-W48' };
        return HttpResponse.json(week === null ? quiet : { ...quiet, ...of });
      }),
    );
    const { router } = openPage('/prevention');
    expect(await screen.findByTestId('prevention-empty')).toBeInTheDocument();
    expect(screen.getByTestId('prevention-week')).toHaveTextContent('Last 7 days');
    await userEvent.setup().click(screen.getByRole('link', { name: 'Week 2026-W47' }));
    await expect.poll(() => router.state.location.search).toBe('?week=2026-W47');
    expect(await screen.findByRole('link', { name: 'Week 2026-W48' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Last 7 days' })).toHaveAttribute(
      'href',
      '/prevention',
    );
  });

  it('says what is wrong with a week, and what did not load', async () => {
    const detail = 'week: is `x`; write a week by ISO 8601, such as 2026-W48';
    server.use(answer('/api/v1/prevention', { title: 'Invalid request', detail }, 400));
    openPage('/prevention?week=x');
    expect(await screen.findByText('Could not load the week')).toBeInTheDocument();
    expect(screen.getByText(/write a week by ISO 8601/)).toBeInTheDocument();
  });
});
