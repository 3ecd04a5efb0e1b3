import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { openPage } from '../test/render';
import { answer, server, signInAs } from '../test/server';
import { openSession, serveSession, SESSION_ID, sessionPath } from '../test/session';

describe('access', () => {
  it('shows who is signed in, and hides what a viewer must not do', async () => {
    signInAs('viewer', ['read', 'read_trace']);
    openPage('/');
    expect(await screen.findByTestId('user-name')).toHaveTextContent('alice · viewer');
    await waitFor(() => {
      expect(screen.queryByRole('link', { name: /submit/i })).not.toBeInTheDocument();
    });
  });

  it('explains on the submit page why a viewer cannot submit', async () => {
    signInAs('viewer', ['read']);
    openPage('/submit');
    expect(await screen.findByTestId('not-permitted')).toHaveTextContent('responder');
    expect(screen.queryByRole('button', { name: /submit/i })).not.toBeInTheDocument();
  });

  it('hides cancel and the question field from a viewer', async () => {
    signInAs('viewer', ['read']);
    serveSession({ status: 'in_progress' });
    const { router } = openSession();
    await screen.findByTestId('user-name');
    await waitFor(() => expect(screen.queryByTestId('cancel-session')).not.toBeInTheDocument());
    serveSession({ status: 'completed', chat_enabled: true });
    await router.navigate('/');
    await router.navigate(`/sessions/${SESSION_ID}`);
    await screen.findByTestId('alert-data');
    expect(screen.queryByTestId('chat-question')).not.toBeInTheDocument();
  });

  it('shows a banner while access control is off', async () => {
    server.use(
      answer('/api/v1/me', {
        name: 'api-client',
        role: 'admin',
        permissions: ['read', 'submit_alert'],
        mode: 'local',
        insecure: true,
      }),
    );
    openPage('/');
    expect(await screen.findByTestId('insecure-banner')).toHaveTextContent('Access control is off');
    expect(screen.queryByTestId('user-name')).not.toBeInTheDocument();
  });

  it('follows a redirect from an alias to its session', async () => {
    const alias = '0198f2a0-0000-7000-8000-00000000a11a';
    serveSession({});
    server.use(
      http.get(`/api/v1/sessions/${alias}`, () =>
        HttpResponse.redirect(`${location.origin}/api/v1/sessions/${SESSION_ID}`, 308),
      ),
    );
    expect(sessionPath).toContain(SESSION_ID);
    openPage(`/sessions/${alias}`);
    expect(await screen.findByTestId('alert-data')).toBeInTheDocument();
  });
});
