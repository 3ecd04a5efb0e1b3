import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { answer, server, signInAs } from '../../test/server';
import { openSession, serveSession, SESSION_ID, sessionPath } from '../../test/session';

const tombstone = {
  title: 'Deleted',
  status: 410,
  detail: 'the session was deleted by ada on 2026-11-27 05:00:00 UTC: names a customer',
};

describe('the deletion of a session', () => {
  it('is asked for with a reason, by keyboard alone, and shows what is left', async () => {
    signInAs('admin', ['read', 'delete_session']);
    serveSession({ status: 'completed' });
    const asked: (string | null)[] = [];
    server.use(
      http.delete(sessionPath, ({ request }) => {
        asked.push(new URL(request.url).searchParams.get('reason'));
        server.use(answer(sessionPath, tombstone, 410));
        return HttpResponse.json({ deleted_sessions: [SESSION_ID] });
      }),
    );
    openSession();
    const user = userEvent.setup();
    const button = await screen.findByTestId('delete-session');
    button.focus();
    await user.keyboard('{Enter}');
    const reason = await screen.findByRole('textbox', { name: /Reason/ });
    await waitFor(() => expect(reason).toHaveFocus());
    await user.keyboard('{Enter}');
    expect(asked).toEqual([]);
    await user.keyboard('names a customer{Enter}');
    expect(await screen.findByText('Session deleted')).toBeInTheDocument();
    expect(screen.getByTestId('not-found')).toHaveTextContent('deleted by ada');
    expect(screen.getByTestId('not-found')).toHaveTextContent('names a customer');
    expect(asked).toEqual(['names a customer']);
  });

  it('that is refused says why, and the session stays', async () => {
    signInAs('admin', ['read', 'delete_session']);
    serveSession({ status: 'completed' });
    const refusal = { title: 'Conflict', detail: 'its replay has not ended; cancel it first' };
    server.use(http.delete(sessionPath, () => HttpResponse.json(refusal, { status: 409 })));
    openSession();
    const user = userEvent.setup();
    await user.click(await screen.findByTestId('delete-session'));
    await user.type(await screen.findByRole('textbox', { name: /Reason/ }), 'why{Enter}');
    expect(await screen.findByRole('alert')).toHaveTextContent('its replay has not ended');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByTestId('delete-dialog')).not.toBeInTheDocument());
    expect(screen.getByTestId('session-status')).toBeInTheDocument();
  });

  it('is not offered to others, nor while the session runs', async () => {
    signInAs('operator', ['read']);
    serveSession({ status: 'completed' });
    openSession();
    await screen.findByTestId('session-status');
    expect(screen.queryByTestId('delete-session')).not.toBeInTheDocument();
  });
});
