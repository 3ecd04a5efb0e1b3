import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { sessionItem, sessionPage, timelineEvent } from '../test/builders';
import { openPage } from '../test/render';
import { answer, server } from '../test/server';
import { openSession, serveSession } from '../test/session';

async function openList() {
  const view = openPage('/');
  await screen.findByRole('heading', { name: 'Sessions' });
  return { ...view, user: userEvent.setup() };
}

describe('keyboard shortcuts', () => {
  it('are listed on a help sheet', async () => {
    const { user } = await openList();
    await user.keyboard('?');
    const sheet = within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }));
    expect(sheet.getByText('g s')).toBeInTheDocument();
    expect(sheet.getByText('Go to Sessions')).toBeInTheDocument();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('focus the search and go to pages', async () => {
    const { user, router } = await openList();
    const search = await screen.findByRole('searchbox', { name: 'Search history' });
    await user.keyboard('/');
    expect(search).toHaveFocus();
    await user.keyboard('gy?');
    expect(search).toHaveValue('gy?');
    expect(router.state.location.pathname).toBe('/');
    // Its search is in the URL before the next navigation.
    await waitFor(() => expect(router.state.location.search).toContain('q=gy'));
    search.blur();
    await user.keyboard('gy');
    await waitFor(() => expect(router.state.location.pathname).toBe('/system'));
  });

  it('move through the steps of a session', async () => {
    serveSession({}, [
      timelineEvent({ id: 'one' }),
      timelineEvent({ id: 'two', sequence_number: 2, content: 'World' }),
    ]);
    openSession();
    const steps = await screen.findAllByTestId('timeline-item');
    const user = userEvent.setup();
    await user.keyboard('jj');
    expect(steps[1]).toHaveFocus();
    await user.keyboard('k');
    expect(steps[0]).toHaveFocus();
  });

  it('lead to the parts of a session', async () => {
    serveSession({ status: 'completed', final_analysis: 'The disk is full.' });
    openSession();
    const findings = await screen.findByTestId('final-analysis');
    const review = await screen.findByTestId('review');
    const user = userEvent.setup();
    await user.keyboard('f');
    expect(findings).toHaveFocus();
    await user.keyboard('r');
    expect(review).toHaveFocus();
  });

  it('move through the list and select a session', async () => {
    const sessions = [sessionItem(), sessionItem({ id: 'bbbbbbbb-0000-7000-8000-000000000002' })];
    server.use(answer('/api/v1/sessions', sessionPage(sessions)));
    const { user } = await openList();
    const rows = await screen.findAllByTestId('session-row');
    await user.keyboard('jj');
    expect(within(rows[1] ?? document.body).getByRole('link')).toHaveFocus();
    await user.keyboard('x');
    expect(within(rows[1] ?? document.body).getByRole('checkbox')).toBeChecked();
    expect(await screen.findByText('1 session selected')).toBeInTheDocument();
  });

  it('work while a checkbox has the focus, which takes no text', async () => {
    const sessions = [sessionItem(), sessionItem({ id: 'bbbbbbbb-0000-7000-8000-000000000002' })];
    server.use(answer('/api/v1/sessions', sessionPage(sessions)));
    const { user } = await openList();
    const rows = await screen.findAllByTestId('session-row');
    await user.click(within(rows[0] ?? document.body).getByRole('checkbox'));
    await user.keyboard('j');
    expect(within(rows[0] ?? document.body).getByRole('link')).toHaveFocus();
    await user.keyboard('?');
    expect(await screen.findByTestId('help-sheet')).toBeInTheDocument();
  });

  it('of single keys can be turned off', async () => {
    const { user } = await openList();
    await user.keyboard('?');
    await user.click(await screen.findByRole('switch', { name: 'Single-key shortcuts' }));
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    await user.keyboard('/');
    expect(screen.getByRole('searchbox', { name: 'Search history' })).not.toHaveFocus();
  });
});

describe('the command palette', () => {
  it('finds pages by name', async () => {
    const { user, router } = await openList();
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByRole('dialog', { name: 'Commands' });
    await user.keyboard('syst');
    expect(await screen.findByRole('option', { name: 'Go to System' })).toBeInTheDocument();
    await user.keyboard('{Enter}');
    await waitFor(() => expect(router.state.location.pathname).toBe('/system'));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  it('opens with Caps Lock, and closes on Escape', async () => {
    const { user } = await openList();
    await user.keyboard('{Control>}K{/Control}');
    await screen.findByRole('option', { name: 'Go to System' });
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('opens a session by its id, and the help', async () => {
    serveSession();
    const { user, router } = await openList();
    await user.click(screen.getByRole('button', { name: 'Commands' }));
    await user.type(
      await screen.findByRole('combobox', { name: /^Search commands/ }),
      'aaaaaaaa-0000-7000-8000-000000000001',
    );
    await user.keyboard('{Enter}');
    await waitFor(() => expect(router.state.location.pathname).toMatch(/^\/sessions\/aaaaaaaa/));
    await user.keyboard('{Control>}k{/Control}');
    await user.type(
      await screen.findByRole('combobox', { name: /^Search commands/ }),
      'keyboard{Enter}',
    );
    expect(await screen.findByTestId('help-sheet')).toBeInTheDocument();
  });
});
