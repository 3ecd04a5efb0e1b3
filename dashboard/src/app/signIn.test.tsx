import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { openPage } from '../test/render';
import { answer, server } from '../test/server';
import { announceSignIn } from './signInWindow';

const alice = {
  name: 'alice',
  role: 'responder',
  permissions: ['read', 'submit_alert'],
  mode: 'oidc',
  insecure: false,
  csrf_token: 'first',
};
const problem = { title: 'Not signed in', status: 401, sign_in: '/api/v1/sign-in' };
const signedIn = (token = 'first') => answer('/api/v1/me', { ...alice, csrf_token: token });
const signedOut = answer('/api/v1/me', problem, 401);

/** Accepts alerts with this CSRF token only; records the tokens that were sent. */
function acceptAlerts(token: string): readonly (string | null)[] {
  const sent: (string | null)[] = [];
  server.use(
    http.post('/api/v1/alerts', ({ request }) => {
      sent.push(request.headers.get('X-CSRF-Token'));
      if (sent.at(-1) === token) return HttpResponse.json({ session_id: 'x' }, { status: 202 });
      const errors = [{ field: 'X-CSRF-Token', message: 'is missing or wrong' }];
      return HttpResponse.json({ title: 'Not allowed', errors }, { status: 403 });
    }),
  );
  return sent;
}

async function submit(text: string) {
  await userEvent.type(await screen.findByTestId('alert-data-input'), text);
  await userEvent.click(await screen.findByTestId('submit-alert'));
}

describe('signing in', () => {
  it('asks a user whom the server does not know to sign in, and returns to the page', async () => {
    server.use(signedOut);
    openPage('/system?x=1');
    const button = await screen.findByRole('link', { name: 'Sign in' });
    expect(button).toHaveAttribute('href', '/api/v1/sign-in?return_to=%2Fsystem%3Fx%3D1');
  });

  it('says why an attempt failed', async () => {
    server.use(signedOut);
    openPage('/sign-in?reason=no_role&return_to=%2Fsystem');
    expect(await screen.findByTestId('sign-in-page')).toHaveTextContent('none of your groups');
    expect(screen.getByRole('link', { name: 'Sign in' })).toHaveAttribute(
      'href',
      '/api/v1/sign-in?return_to=%2Fsystem',
    );
  });

  it('keeps the page and what was typed when the sign-in ends, and goes on after a new one', async () => {
    server.use(signedIn());
    const { relay } = openPage('/submit');
    await screen.findByTestId('user-name');
    await userEvent.type(await screen.findByTestId('alert-data-input'), 'disk full');
    server.use(signedOut);
    // On a slow machine the channel may be open again before the sign-in.
    const before = relay.connections;
    relay.disconnect(4401);
    const open = vi.spyOn(window, 'open').mockReturnValue(null);
    await userEvent.click(await screen.findByRole('button', { name: 'Sign in again' }));
    expect(open.mock.calls[0]?.[0]).toBe('/api/v1/sign-in?return_to=%2Fsigned-in');
    expect(screen.queryByTestId('disconnected-banner')).not.toBeInTheDocument();

    server.use(signedIn('second'));
    const sent = acceptAlerts('second');
    announceSignIn();
    await waitFor(() => expect(screen.queryByTestId('sign-in-banner')).not.toBeInTheDocument());
    await waitFor(() => expect(relay.connections).toBeGreaterThan(before));
    expect(screen.getByTestId('alert-data-input')).toHaveValue('disk full');
    await userEvent.click(screen.getByTestId('submit-alert'));
    await waitFor(() => expect(sent).toEqual(['second']));
  });

  it('shows the same banner when a request is refused', async () => {
    server.use(signedIn());
    openPage('/submit');
    await screen.findByTestId('user-name');
    server.use(
      signedOut,
      http.post('/api/v1/alerts', () => HttpResponse.json(problem, { status: 401 })),
    );
    await submit('disk full');
    expect(await screen.findByTestId('sign-in-banner')).toBeInTheDocument();
    expect(screen.getByTestId('alert-data-input')).toHaveValue('disk full');
  });

  it('sends a change again when another tab signed in meanwhile', async () => {
    server.use(signedIn());
    openPage('/submit');
    await screen.findByTestId('user-name');
    server.use(signedIn('second'));
    const sent = acceptAlerts('second');
    await submit('disk full');
    await waitFor(() => expect(sent).toEqual(['first', 'second']));
  });

  it('signs out from the menu of the user', async () => {
    server.use(signedIn());
    const sent: (string | null)[] = [];
    server.use(
      http.post('/api/v1/sign-out', ({ request }) => {
        sent.push(request.headers.get('X-CSRF-Token'));
        return new HttpResponse(null, { status: 204 });
      }),
    );
    openPage('/');
    await userEvent.click(await screen.findByTestId('user-menu'));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Sign out' }));
    await waitFor(() => expect(sent).toEqual(['first']));
  });

  it('closes the small window after telling the other pages', async () => {
    server.use(signedIn());
    const close = vi.spyOn(window, 'close').mockReturnValue(undefined);
    openPage('/signed-in');
    expect(await screen.findByTestId('signed-in')).toHaveTextContent('close this window');
    await waitFor(() => expect(close).toHaveBeenCalled());
  });
});
