import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { run } from 'axe-core';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { sessionDetail, sessionItem, sessionPage } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';

const idOf = (number: number) => `aaaaaaaa-0000-7000-8000-00000000000${number}`;
const all = ['read', 'submit_alert', 'cancel_session', 'review_session'];

function serveList() {
  server.use(
    answer('/api/v1/sessions', sessionPage([1, 2, 3].map((n) => sessionItem({ id: idOf(n) })))),
  );
}

async function openList() {
  const view = openPage('/');
  const rows = await screen.findAllByTestId('session-row');
  return { ...view, rows, user: userEvent.setup() };
}

const boxOf = (row: HTMLElement | undefined) =>
  within(row ?? document.body).getByRole('checkbox', { name: /^Select session/ });

const outcomeOf = (row: HTMLElement | undefined) =>
  within(row ?? document.body).findByTestId('row-outcome');

describe('selected sessions', () => {
  it('are marked as reviewed, each with its outcome', async () => {
    signInAs('responder', all);
    serveList();
    const saved: unknown[] = [];
    server.use(
      http.put('/api/v1/sessions/:id/review', async ({ request, params }) => {
        const detail = 'the session has 100 reviews';
        if (params.id === idOf(2)) return HttpResponse.json({ detail }, { status: 409 });
        saved.push(params.id, await request.json());
        return HttpResponse.json({ review: 'wrong' });
      }),
    );
    const { user, rows, container } = await openList();
    await user.click(boxOf(rows[0]));
    await user.click(boxOf(rows[1]));
    const bar = within(await screen.findByTestId('bulk-bar'));
    expect(bar.getByText('2 sessions selected')).toBeInTheDocument();
    const { violations } = await run(container, {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    await user.click(bar.getByRole('button', { name: 'Mark reviewed' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Wrong' }));
    expect(await bar.findByText('1 session done, 1 failed. 1 session selected')).toBeVisible();
    expect(await outcomeOf(rows[0])).toHaveTextContent('Reviewed: Wrong');
    expect(await outcomeOf(rows[1])).toHaveTextContent('Failed: the session has 100 reviews');
    expect(boxOf(rows[1])).toBeChecked();
    expect(saved).toEqual([idOf(1), { review: 'wrong' }]);
  });

  it('are run again after a confirmation', async () => {
    signInAs('responder', all);
    serveList();
    const submitted: unknown[] = [];
    const lists = { servers: [{ name: 'host' }], native_tools: {} };
    server.use(
      http.get('/api/v1/sessions/:id', ({ params }) =>
        HttpResponse.json(
          sessionDetail({
            id: params.id,
            alert_data: `alert ${params.id}`,
            mcp_selection: lists,
            fingerprint: 'disk',
          }),
        ),
      ),
      http.post('/api/v1/alerts', async ({ request }) => {
        submitted.push(await request.json());
        const session_id = idOf(9);
        return HttpResponse.json({ session_id, status: 'queued' }, { status: 202 });
      }),
    );
    const { user, rows } = await openList();
    await user.click(screen.getByRole('checkbox', { name: 'Select all sessions of this page' }));
    await user.click(await screen.findByRole('button', { name: 'Re-run' }));
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'Re-run 3 sessions' }));
    const outcome = await outcomeOf(rows[2]);
    await waitFor(() => expect(outcome).toHaveTextContent('Re-run started'));
    expect(within(outcome).getByRole('link')).toHaveAttribute('href', `/sessions/${idOf(9)}`);
    expect(submitted).toHaveLength(3);
    expect(submitted).toContainEqual({
      alert_type: 'HostDiskPressure',
      data: `alert ${idOf(1)}`,
      mcp: { servers: [{ name: 'host' }] },
      fingerprint: 'disk',
    });
  });

  it('that run are cancelled', async () => {
    signInAs('responder', all);
    const cancelled: unknown[] = [];
    server.use(
      answer('/api/v1/sessions/active', {
        active: [sessionItem({ id: idOf(4), status: 'in_progress', completed_at: null })],
        queued: [],
      }),
      http.post('/api/v1/sessions/:id/cancel', ({ params }) => {
        cancelled.push(params.id);
        return HttpResponse.json({ session_id: params.id, message: 'ok' });
      }),
    );
    openPage('/');
    const user = userEvent.setup();
    const row = await screen.findByTestId('active-session');
    await user.click(boxOf(row));
    await user.click(await screen.findByRole('button', { name: 'Cancel sessions' }));
    await user.click(await screen.findByRole('button', { name: 'Cancel 1 session' }));
    expect(await screen.findByText('Cancellation requested')).toBeInTheDocument();
    expect(cancelled).toEqual([idOf(4)]);
  });

  it('are all those between two with Shift, and the box of all is mixed until all are', async () => {
    signInAs('responder', all);
    serveList();
    const { user, rows } = await openList();
    const every = screen.getByRole<HTMLInputElement>('checkbox', { name: /^Select all/ });
    await user.click(boxOf(rows[0]));
    expect(every.indeterminate).toBe(true);
    await user.keyboard('{Shift>}');
    await user.click(boxOf(rows[2]));
    await user.keyboard('{/Shift}');
    expect(await screen.findByText('3 sessions selected')).toBeInTheDocument();
    expect(every.indeterminate).toBe(false);
    expect(every).toBeChecked();
    await user.click(screen.getByRole('button', { name: 'Clear selection' }));
    expect(screen.queryByTestId('bulk-bar')).not.toBeInTheDocument();
    expect(every).toHaveFocus();
  });

  it('are those that are listed: one that ended is not cancelled', async () => {
    signInAs('responder', all);
    const running = (number: number) =>
      sessionItem({ id: idOf(number), status: 'in_progress', completed_at: null });
    let active = [running(4), running(5)];
    const cancelled: unknown[] = [];
    server.use(
      http.get('/api/v1/sessions/active', () => HttpResponse.json({ active, queued: [] })),
      http.post('/api/v1/sessions/:id/cancel', ({ params }) => {
        cancelled.push(params.id);
        active = [];
        const detail = 'the session has ended already';
        return HttpResponse.json({ detail }, { status: 409 });
      }),
    );
    const { client } = openPage('/');
    const user = userEvent.setup();
    for (const row of await screen.findAllByTestId('active-session')) await user.click(boxOf(row));
    expect(await screen.findByText('2 sessions selected')).toBeInTheDocument();
    active = [running(4)];
    await client.invalidateQueries();
    expect(await screen.findByText('1 session selected')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Cancel sessions' }));
    await user.click(await screen.findByRole('button', { name: 'Cancel 1 session' }));
    const failures = within(await screen.findByRole('list', { name: 'Failures' }));
    expect(failures.getByRole('link')).toHaveAttribute('href', `/sessions/${idOf(4)}`);
    expect(failures.getByText(/the session has ended already/)).toBeInTheDocument();
    expect(cancelled).toEqual([idOf(4)]);
  });

  it('are compared, two of them, and their links are copied, also by those who may only read', async () => {
    signInAs('viewer', ['read']);
    serveList();
    const { user, rows, router } = await openList();
    await user.click(boxOf(rows[0]));
    const bar = within(await screen.findByTestId('bulk-bar'));
    expect(bar.queryByRole('button', { name: 'Re-run' })).not.toBeInTheDocument();
    expect(bar.queryByRole('button', { name: 'Mark reviewed' })).not.toBeInTheDocument();
    expect(bar.getByRole('button', { name: 'Compare' })).toBeDisabled();
    await user.click(boxOf(rows[2]));
    await user.click(bar.getByRole('button', { name: 'Copy links to the selected sessions' }));
    expect(await navigator.clipboard.readText()).toBe(
      `${window.location.origin}/sessions/${idOf(1)}\n${window.location.origin}/sessions/${idOf(3)}`,
    );
    await user.click(bar.getByRole('link', { name: 'Compare' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/compare'));
    expect(router.state.location.search).toBe(`?first=${idOf(1)}&second=${idOf(3)}`);
  });

  it('are not compared when there are three', async () => {
    signInAs('viewer', ['read']);
    serveList();
    const { user } = await openList();
    await user.click(screen.getByRole('checkbox', { name: 'Select all sessions of this page' }));
    const bar = within(await screen.findByTestId('bulk-bar'));
    expect(bar.getByRole('button', { name: 'Compare' })).toBeDisabled();
  });
});
