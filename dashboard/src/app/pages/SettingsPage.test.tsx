import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { run } from 'axe-core';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { sessionItem, sessionPage } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';

async function openSettings() {
  const view = openPage('/settings');
  await screen.findByTestId('settings');
  return { ...view, user: userEvent.setup() };
}

/** The list, as a browser shows it that has these settings. */
async function openList() {
  server.use(
    answer(
      '/api/v1/sessions',
      sessionPage([sessionItem({ service: 'payments', namespace: 'shop' })]),
    ),
  );
  openPage('/');
  return within(await screen.findByTestId('session-row'));
}

const choice = (group: string, option: string | RegExp) =>
  within(screen.getByRole('radiogroup', { name: group })).getByRole('radio', { name: option });

describe('the settings', () => {
  it('are named, described and accessible', async () => {
    const { container } = await openSettings();
    await waitFor(() => expect(document.title).toContain('Settings'));
    expect(screen.getByText(/^Stored in this browser/)).toBeInTheDocument();
    const { violations } = await run(container, {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });

  it('are changed with the keyboard: one Tab a field, arrows for its values', async () => {
    const { user } = await openSettings();
    choice('Theme', 'Same as the system').focus();
    await user.keyboard('{ArrowDown}{ArrowDown}');
    expect(choice('Theme', 'Dark')).toBeChecked();
    await user.tab();
    expect(choice('Session list', /^Comfortable/)).toHaveFocus();
    await user.tab();
    expect(choice('Time zone', /^Local time/)).toHaveFocus();
    await user.keyboard('{ArrowDown}');
    expect(choice('Time zone', 'UTC')).toBeChecked();
    await user.tab();
    await user.keyboard(' ');
    expect(screen.getByRole('switch', { name: 'Single-key shortcuts' })).not.toBeChecked();
    expect(localStorage.getItem('tarsy-shortcuts')).toBe('off');
  });

  it('have the name of the user where nobody signs in', async () => {
    localStorage.setItem('tarsy-page-key', 'the key');
    const sent: (string | null)[] = [];
    server.use(
      http.get('/api/v1/me', ({ request: { headers } }) => {
        sent.push(headers.get('X-Tarsy-User'));
        const permissions = ['read', 'approve_call'];
        return HttpResponse.json({ name: 'api-client', role: 'admin', permissions, mode: 'local' });
      }),
    );
    const { user } = await openSettings();
    await user.type(await screen.findByLabelText('Your name'), 'Jörg{Enter}');
    await waitFor(() => expect(sent.at(-1)).toBe('J%C3%B6rg'));
  });

  it('of the theme apply at once and are stored', async () => {
    const { user } = await openSettings();
    await user.click(choice('Theme', 'Dark'));
    expect(document.documentElement).toHaveAttribute('data-scheme', 'dark');
    expect(localStorage.getItem('mui-mode')).toBe('dark');
  });

  it('of the time zone apply to all times, with the time that it is now', async () => {
    const { user, unmount } = await openSettings();
    await user.click(choice('Time zone', 'UTC'));
    expect(screen.getByText(/^Now: .+ UTC$/)).toBeInTheDocument();
    unmount();
    const row = await openList();
    for (const time of row.getAllByText(/ago$/)) {
      expect(time).toHaveAttribute('title', expect.stringContaining('01:00:00 UTC'));
    }
  });

  it('of the density apply to the list: compact rows have one line', async () => {
    const { user, unmount } = await openSettings();
    const roomy = await openList();
    expect(roomy.getByTestId('row-place')).toHaveTextContent(/^paymentsshop/);
    await user.click(choice('Session list', /^Compact/));
    await waitFor(() => expect(roomy.getByTestId('row-place')).toHaveTextContent(/^payments$/));
    const table = screen.getByRole('table');
    expect(table).toHaveAttribute('data-density', 'compact');
    unmount();
    expect(localStorage.getItem('tarsy-density')).toBe('compact');
  });

  it('of another tab apply here, too', async () => {
    await openSettings();
    localStorage.setItem('tarsy-time-zone', 'utc');
    window.dispatchEvent(new StorageEvent('storage', { key: 'tarsy-time-zone' }));
    await waitFor(() => expect(choice('Time zone', 'UTC')).toBeChecked());
  });

  it('without notifications in the browser say why they cannot be turned on', async () => {
    await openSettings();
    const notify = screen.getByRole('switch', { name: /^Notify me/ });
    expect(notify).toBeDisabled();
    expect(notify).toHaveAccessibleDescription(/They need HTTPS/);
  });
});

describe('the way to the settings', () => {
  it('is a link at the top, the footer, a key and a command', async () => {
    const { router } = openPage('/');
    const user = userEvent.setup();
    expect(await screen.findByTestId('settings-link')).toHaveAttribute('href', '/settings');
    const footer = within(screen.getByRole('contentinfo'));
    expect(footer.getByRole('link', { name: 'Settings' })).toHaveAttribute('href', '/settings');
    await user.keyboard('g,');
    expect(await screen.findByTestId('settings')).toBeInTheDocument();
    await router.navigate('/');
    await user.keyboard('{Control>}k{/Control}');
    await user.click(await screen.findByRole('option', { name: 'Go to Settings' }));
    expect(await screen.findByTestId('settings')).toBeInTheDocument();
  });

  it('is in the menu of the user', async () => {
    signInAs('viewer', ['read']);
    const { router } = openPage('/');
    const user = userEvent.setup();
    await user.click(await screen.findByTestId('user-menu'));
    expect(screen.queryByRole('menuitem', { name: 'Sign out' })).not.toBeInTheDocument();
    await user.click(await screen.findByRole('menuitem', { name: 'Settings' }));
    expect(router.state.location.pathname).toBe('/settings');
  });
});
