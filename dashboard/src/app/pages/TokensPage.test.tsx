import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';

const DAY_MS = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

const ci = {
  id: '01a20000-0000-7000-8000-000000000001',
  name: 'ci',
  role: 'responder',
  alert_types: null,
  created_by: 'alice',
  created_at: daysFromNow(-3),
  expires_at: daysFromNow(40),
  last_used_at: daysFromNow(-1),
};
const alertmanager = {
  ...ci,
  id: '01a20000-0000-7000-8000-000000000002',
  name: 'alertmanager',
  role: null,
  alert_types: ['HostDiskPressure', 'kubernetes'],
  expires_at: daysFromNow(2),
  last_used_at: null,
};

/** An API that keeps the tokens which are created and revoked; returns the bodies of the requests. */
function serveTokens(...initial: readonly object[]) {
  let tokens: readonly object[] = initial;
  const bodies: unknown[] = [];
  signInAs('admin', ['read', 'submit_alert', 'read_audit_log', 'manage_tokens']);
  server.use(
    http.get('/api/v1/tokens', () => HttpResponse.json({ tokens })),
    http.post('/api/v1/tokens', async ({ request }) => {
      bodies.push(await request.json());
      const created = { ...ci, id: '01a20000-0000-7000-8000-000000000003', name: 'new' };
      tokens = [...tokens, created];
      return HttpResponse.json({ token: 'tarsy_secret', ...created }, { status: 201 });
    }),
    http.delete('/api/v1/tokens/:id', ({ params }) => {
      tokens = tokens.filter((token) => !('id' in token) || token.id !== params['id']);
      return new HttpResponse(null, { status: 204 });
    }),
  );
  return bodies;
}

async function openForm() {
  const user = userEvent.setup();
  const page = openPage('/tokens');
  await user.click(await screen.findByTestId('create-token'));
  return { ...page, user, dialog: within(await screen.findByTestId('token-dialog')) };
}

describe('the page of API tokens', () => {
  it('lists what each token grants, who created it and when it was used', async () => {
    serveTokens(alertmanager, ci);
    openPage('/tokens');
    const [first, second] = await screen.findAllByTestId('token');
    expect(first).toHaveTextContent('Submits HostDiskPressure, kubernetes');
    expect(first).toHaveTextContent('never');
    expect(first).toHaveTextContent('in 2 d');
    expect(second).toHaveTextContent('Role responder');
    expect(second).toHaveTextContent('3 d ago by alice');
    expect(second).toHaveTextContent('1 d ago');
    expect(screen.getByRole('heading', { name: '2 tokens' })).toBeInTheDocument();
  });

  it('explains an empty list, and what went wrong', async () => {
    serveTokens();
    openPage('/tokens');
    expect(await screen.findByTestId('no-tokens')).toBeInTheDocument();
    server.use(answer('/api/v1/tokens', { title: 'Unavailable', detail: 'no database' }, 503));
    openPage('/tokens');
    expect(await screen.findByTestId('error-state')).toHaveTextContent('no database');
  });

  it('creates a token of an alert source and shows its text once', async () => {
    const bodies = serveTokens();
    const { dialog, user, client } = await openForm();
    expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveFocus();
    await user.keyboard(' alertmanager ');
    await user.click(await dialog.findByRole('checkbox', { name: 'HostDiskPressure' }));
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(await dialog.findByTestId('token-text')).toHaveTextContent('tarsy_secret');
    expect(dialog.getByRole('status')).toHaveTextContent('cannot show it again');
    expect(dialog.getByRole('button', { name: 'Copy token' })).toBeInTheDocument();
    expect(bodies).toEqual([
      { name: 'alertmanager', alert_types: ['HostDiskPressure'], expires_in_days: 90 },
    ]);
    await user.keyboard('{Escape}');
    expect(dialog.getByTestId('token-text')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Done' }));
    await waitFor(() => expect(screen.queryByTestId('token-dialog')).not.toBeInTheDocument());
    expect(await screen.findByTestId('token')).toHaveTextContent('new');
    expect(document.body).not.toHaveTextContent('tarsy_secret');
    const cached = [client.getMutationCache().getAll(), client.getQueryCache().getAll()]
      .flat()
      .map(({ state }) => state.data);
    const stored = { ...localStorage, ...sessionStorage };
    expect(JSON.stringify([cached, stored])).not.toContain('tarsy_secret');
  });

  it('names every invalid field and moves the focus to the first', async () => {
    const bodies = serveTokens();
    const { dialog, user } = await openForm();
    await user.clear(dialog.getByRole('spinbutton', { name: 'Expires after days' }));
    await user.click(dialog.getByRole('button', { name: 'Create' }));
    const name = dialog.getByRole('textbox', { name: 'Name' });
    expect(name).toHaveFocus();
    expect(name).toHaveAccessibleDescription('A name is required.');
    expect(dialog.getByText('Choose at least one alert type.')).toBeInTheDocument();
    expect(dialog.getByRole('spinbutton')).toHaveAccessibleDescription(/from 1 to 3650/);
    await user.type(name, 'ci');
    await user.click(dialog.getByRole('radio', { name: /A script/ }));
    await user.click(dialog.getByRole('radio', { name: /operator/ }));
    await user.type(dialog.getByRole('spinbutton'), '7');
    await user.click(dialog.getByRole('button', { name: 'Create' }));
    await dialog.findByTestId('token-text');
    expect(bodies).toEqual([{ name: 'ci', role: 'operator', expires_in_days: 7 }]);
  });

  it('shows what the API rejects at its field', async () => {
    serveTokens(ci);
    server.use(
      http.post('/api/v1/tokens', () => HttpResponse.json({ detail: 'taken' }, { status: 409 })),
    );
    const { dialog, user } = await openForm();
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'ci');
    await user.click(await dialog.findByRole('checkbox', { name: 'HostDiskPressure' }));
    await user.click(dialog.getByRole('button', { name: 'Create' }));
    expect(await dialog.findByText(/A token has this name/)).toBeInTheDocument();
    const name = dialog.getByRole('textbox', { name: 'Name' });
    expect(name).toHaveFocus();
    await user.type(name, '2');
    expect(dialog.queryByText(/A token has this name/)).not.toBeInTheDocument();
  });

  it('revokes a token after a confirmation', async () => {
    serveTokens(alertmanager, ci);
    const user = userEvent.setup();
    openPage('/tokens');
    await user.click(await screen.findByRole('button', { name: 'Revoke ci' }));
    await user.click(await screen.findByRole('button', { name: 'Keep' }));
    expect(screen.getAllByTestId('token')).toHaveLength(2);
    await user.click(screen.getByRole('button', { name: 'Revoke ci' }));
    await user.click(await screen.findByRole('button', { name: 'Revoke token' }));
    expect(await screen.findByTestId('revocation-notice')).toHaveTextContent('ci is revoked.');
    await waitFor(() => expect(screen.getAllByTestId('token')).toHaveLength(1));
    await waitFor(() => expect(screen.getByTestId('tokens')).toHaveFocus());
  });
});

describe('access to the page of API tokens', () => {
  it('is in the navigation only for those who may use it', async () => {
    signInAs('operator', ['read', 'read_audit_log']);
    openPage('/');
    const nav = within(await screen.findByRole('navigation', { name: 'Main' }));
    expect((await nav.findAllByText('Audit log')).length).toBeGreaterThan(0);
    expect(nav.queryByText('API tokens')).not.toBeInTheDocument();
  });

  it('says which role it needs, and requests nothing', async () => {
    signInAs('operator', ['read', 'read_audit_log']);
    server.use(
      http.get('/api/v1/tokens', () => {
        throw new Error('the list was requested');
      }),
    );
    openPage('/tokens');
    const text = await screen.findByTestId('not-permitted');
    expect(text).toHaveTextContent('You do not have permission to manage API tokens');
    expect(text).toHaveTextContent('This needs the role admin.');
    expect(screen.queryByTestId('create-token')).not.toBeInTheDocument();
  });
});
