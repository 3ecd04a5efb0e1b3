import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';

const SESSION = '01a20000-0000-7000-8000-000000000009';

const nightly = {
  name: 'nightly',
  title: 'Look at the certificates of next week',
  text: 'Look at the certificates of next week',
  cron: '0 6 * * 1-5',
  description: 'At 06:00, Monday through Friday.',
  time_zone: 'Europe/Berlin',
  alert_type: 'host',
  suspended: false,
  notify: 'changed',
  next_runs: ['2026-12-01T05:00:00Z'],
  runs: [
    run('2026-11-30T05:00:00Z', { verdict: 'cause_found', cause: 'The certificate of shop ends' }),
    run('2026-11-27T05:00:00Z', { verdict: 'no_fault_found', cause: 'a weak hint' }),
    run('2026-11-26T05:00:00Z', { outcome: 'still_running', session_id: null, status: null }),
  ],
};

function run(due: string, changes: object) {
  return {
    due_at: due,
    outcome: 'started',
    requested_by: null,
    session_id: SESSION,
    status: 'completed',
    verdict: null,
    cause: null,
    ...changes,
  };
}

describe('the page of schedules', () => {
  it('shows when each runs, and what its last runs found', async () => {
    server.use(answer('/api/v1/schedules', { schedules: [nightly] }));
    openPage('/schedules');
    const panel = await screen.findByTestId('schedule');
    expect(panel).toHaveTextContent('At 06:00, Monday through Friday.Time zoneEurope/Berlin');
    expect(panel).toHaveTextContent('Results that differ from the run before');
    const [first, second, third] = within(panel).getAllByTestId('schedule-run');
    expect(first).toHaveTextContent('Cause found');
    expect(first).toHaveTextContent('The certificate of shop ends');
    expect(second).toHaveTextContent('No fault found');
    expect(second).not.toHaveTextContent('a weak hint');
    expect(third).toHaveTextContent('Skipped: the previous run was still going');
    expect(within(panel).getAllByRole('link')).toHaveLength(2);
  });

  it('runs one now and opens its session, or says why it did not begin', async () => {
    signInAs('responder', ['read', 'run_schedule']);
    server.use(
      answer('/api/v1/schedules', { schedules: [{ ...nightly, suspended: true, next_runs: [] }] }),
      http.post('/api/v1/schedules/nightly/runs', () =>
        HttpResponse.json({ title: 'Too many', detail: 'too many wait' }, { status: 429 }),
      ),
    );
    const user = userEvent.setup();
    const { router } = openPage('/schedules');
    expect(await screen.findByText('Suspended')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Run now: nightly' }));
    expect(await screen.findByTestId('run-failed')).toHaveTextContent('too many wait');
    server.use(
      http.post('/api/v1/schedules/nightly/runs', () =>
        HttpResponse.json({ session_id: SESSION }, { status: 202 }),
      ),
    );
    await user.click(screen.getByRole('button', { name: 'Run now: nightly' }));
    await expect.poll(() => router.state.location.pathname).toBe(`/sessions/${SESSION}`);
  });

  it('says how to configure one, and offers no run to those who may not', async () => {
    signInAs('viewer', ['read']);
    server.use(answer('/api/v1/schedules', { schedules: [] }));
    openPage('/schedules');
    expect(await screen.findByTestId('no-schedules')).toHaveTextContent('tarsy.yaml');
    server.use(answer('/api/v1/schedules', { schedules: [nightly] }));
    openPage('/schedules');
    expect(await screen.findByTestId('schedule')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /Run/ })).toBeNull();
  });
});
