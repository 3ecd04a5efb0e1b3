/** What people do on the session page: one action first, the question within reach, the focus where they work. */
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { answer, server, signInAs } from '../../test/server';
import { setScreenWidth } from '../../test/screenWidth';
import { openSession, serveSession, sessionPath } from '../../test/session';
import { verdict } from '../../test/verdict';

/** All that a page may show to anybody. */
const all = [
  ...['read', 'read_trace', 'submit_alert', 'ask_question', 'cancel_session', 'approve_call'],
  ...['replay_session', 'review_session', 'manage_tokens', 'read_audit_log', 'delete_session'],
];

const ended = { status: 'completed', chat_enabled: true, verdict: verdict() };

async function openEnded(changes: object = {}) {
  serveSession({ ...ended, ...changes });
  const view = openSession();
  await screen.findByTestId('session-details');
  return { ...view, user: userEvent.setup() };
}

/** The buttons and links of the head that are drawn as the first thing to do. */
function primaryActions(): readonly (string | null)[] {
  const head = screen.getByTestId('session-status').closest('header');
  const found = head?.querySelectorAll<HTMLElement>('.MuiButton-contained') ?? [];
  return Array.from(found, ({ textContent }) => textContent);
}

describe('the page of a session', () => {
  it('leads to the question field with the second Tab, before the navigation', async () => {
    signInAs('admin', all);
    const { user } = await openEnded();
    const field = await screen.findByTestId('chat-question');
    const skip = () => document.activeElement?.getAttribute('href') === `#${field.id}`;
    let tabs = 0;
    while (!skip() && tabs < 40) {
      await user.tab();
      tabs += 1;
    }
    expect(skip()).toBe(true);
    expect(tabs).toBe(2);
  });

  it.each([
    ['ask a question', {}, all, ['Ask a question']],
    ['run it again, if it was cancelled', { status: 'cancelled' }, all, ['Re-run']],
    ['run it again, where there is no chat', { chat_enabled: false }, all, ['Re-run']],
    ['only read', {}, ['read'], []],
  ])('has one primary action: %s', async (_, changes, permissions, actions) => {
    signInAs('responder', permissions);
    await openEnded(changes);
    await waitFor(() => expect(primaryActions()).toEqual(actions));
  });

  it('has no way to a field that the user does not have', async () => {
    signInAs('viewer', ['read']);
    await openEnded();
    await waitFor(() => expect(screen.queryByText('Skip to question')).not.toBeInTheDocument());
    expect(screen.queryByTestId('ask-button')).not.toBeInTheDocument();
  });

  it('keeps the focus in the question field: after a suggestion, and after Send', async () => {
    signInAs('responder', all);
    server.use(
      http.post(`${sessionPath}/chat/messages`, () =>
        HttpResponse.json({ chat_id: 'c', message_id: 'm', stage_id: 's' }, { status: 202 }),
      ),
    );
    const { user } = await openEnded({
      verdict: verdict({ not_examined: [{ what: 'the logs of db-1', why: '' }] }),
    });
    const field = await screen.findByTestId('chat-question');
    const suggestions = within(await screen.findByTestId('chat-suggestions'));
    await user.click(suggestions.getByRole('button', { name: 'Check the logs of db-1' }));
    expect(field).toHaveValue('Check the logs of db-1');
    expect(field).toHaveFocus();
    screen.getByTestId('chat-send').focus();
    await user.keyboard('{Enter}');
    await waitFor(() => expect(field).toHaveValue(''));
    expect(field).toHaveFocus();
  });
});

describe('the alert of a session', () => {
  const facts = {
    alert_data: JSON.stringify({ annotations: { description: 'The disk fills up.' } }),
    author: 'alertmanager',
    labels: { pod: 'web-1' },
    runbook_url: 'https://wiki.example.com/disk',
  };

  it('is beside the finding on a wide screen, and above the timeline on a narrow one', async () => {
    setScreenWidth(1400);
    const { unmount } = await openEnded(facts);
    const isBefore = (one: HTMLElement, other: HTMLElement) =>
      (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    const timeline = () => screen.getByRole('heading', { name: 'Timeline' });
    expect(isBefore(timeline(), await screen.findByTestId('alert-data'))).toBe(true);
    unmount();
    setScreenWidth(390);
    await openEnded(facts);
    expect(isBefore(screen.getByTestId('alert-data'), timeline())).toBe(true);
    expect(screen.getAllByTestId('alert-data')).toHaveLength(1);
  });

  it('has labelled facts: description, source, labels, runbook, first and last seen', async () => {
    const times = { received_at: '2026-11-22T00:50:00Z', last_received_at: '2026-11-22T01:00:00Z' };
    const alert = { id: 'a', source: 'alertmanager', action: 'open', title: 'Disk full', ...times };
    server.use(
      answer(`${sessionPath}/alerts`, {
        alerts: [
          { ...alert, starts_at: '2026-11-22T00:45:00Z' },
          { ...alert, id: 'b' },
        ],
        next_before: null,
      }),
    );
    await openEnded(facts);
    const panel = await screen.findByTestId('alert-data');
    await waitFor(() => expect(panel).toHaveTextContent('First seen'));
    const terms = within(panel)
      .getAllByRole('term')
      .map(({ textContent }) => textContent);
    expect(terms).toEqual(
      expect.arrayContaining([
        'Description',
        'Status',
        'Source',
        'Labels',
        'Runbook',
        'First seen',
        'Last seen',
      ]),
    );
    expect(terms).not.toContain('Received');
    const [first, last] = [...panel.querySelectorAll('time')].map(({ dateTime }) => dateTime);
    expect([first, last]).toEqual(['2026-11-22T00:45:00Z', '2026-11-22T01:00:00Z']);
    expect(within(panel).getByRole('link', { name: facts.runbook_url })).toHaveAttribute(
      'href',
      facts.runbook_url,
    );
    expect(screen.getByTestId('session-details')).not.toHaveTextContent('Runbook');
  });

  it('that is not loaded whole does not say when it was first seen', async () => {
    const alert = {
      ...{ id: 'a', source: 'alertmanager', action: 'open', title: 'Disk full' },
      received_at: '2026-11-22T00:50:00Z',
    };
    server.use(answer(`${sessionPath}/alerts`, { alerts: [alert], next_before: 7 }));
    await openEnded(facts);
    const panel = await screen.findByTestId('alert-data');
    await waitFor(() => expect(panel).toHaveTextContent('Last seen'));
    expect(panel).not.toHaveTextContent('First seen');
  });
});

it('what is seldom wanted of a session is behind a button on a phone', async () => {
  signInAs('responder', all);
  await openEnded({ status: 'completed' });
  const more = await screen.findByTestId('more-actions');
  expect(more).toHaveAttribute('aria-expanded', 'false');
  const shown = document.getElementById(more.getAttribute('aria-controls') ?? '');
  await userEvent.setup().click(more);
  expect(more).toHaveAttribute('aria-expanded', 'true');
  expect(within(shown ?? document.body).getByTestId('trace-link')).toBeInTheDocument();
});

it.each(['failed', 'timed_out'])(
  'a session that %s without a finding asks for no review',
  async (status) => {
    signInAs('responder', all);
    await openEnded({ status, verdict: null, final_analysis: null, executive_summary: null });
    expect(screen.queryByTestId('review')).not.toBeInTheDocument();
  },
);
