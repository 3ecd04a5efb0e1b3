import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';
import { SESSION_ID } from '../../test/session';

const TOKEN_ID = '01a20000-0000-7000-8000-0000000000aa';

const submitted = {
  id: '01a20000-0000-7000-8000-000000000002',
  created_at: new Date(Date.now() - 120_000).toISOString(),
  principal: 'alertmanager',
  credential: `token:${TOKEN_ID}`,
  client_address: '10.1.2.3',
  action: 'submit_alert',
  object: '/api/v1/alerts',
  outcome: 'allowed',
  status: 202,
  request_id: 'r-1',
};
const denied = {
  ...submitted,
  id: '01a20000-0000-7000-8000-000000000001',
  principal: 'anonymous',
  credential: 'none',
  client_address: null,
  action: 'cancel_session',
  object: `/api/v1/sessions/${SESSION_ID}/cancel`,
  outcome: 'denied',
  status: 401,
};

/** Serves entries; returns the query of each request. */
function serveEntries(entries: readonly object[]) {
  const queries: string[] = [];
  server.use(
    http.get('/api/v1/audit-log', ({ request }) => {
      queries.push(new URL(request.url).search);
      return HttpResponse.json({ entries, actions: ['decide_approval', 'submit_alert'] });
    }),
  );
  return queries;
}

describe('the page of the audit log', () => {
  beforeEach(() => signInAs('operator', ['read', 'read_audit_log']));

  it('shows who did what to what, when, from where and with which outcome', async () => {
    serveEntries([submitted, denied]);
    openPage('/audit-log');
    const [first, second] = (await screen.findAllByTestId('audit-entry')).map((row) => within(row));
    if (!first || !second) throw new Error('two entries were expected');
    expect(first.getByText('2 min ago')).toHaveAttribute('datetime', submitted.created_at);
    expect(first.getByText('alertmanager')).toBeInTheDocument();
    expect(first.getByText('API token …000000aa')).toHaveAttribute('title', TOKEN_ID);
    expect(first.getAllByText('10.1.2.3').length).toBeGreaterThan(0);
    expect(first.getByText('Submit alert')).toBeInTheDocument();
    expect(first.getByText('/api/v1/alerts')).toBeInTheDocument();
    expect(first.getAllByText('202').length).toBeGreaterThan(0);
    expect(second.getByText('not identified')).toBeInTheDocument();
    expect(second.getByRole('link')).toHaveAttribute('href', `/sessions/${SESSION_ID}`);
  });

  it('says who decided what about which call of which session', async () => {
    const decided = {
      ...submitted,
      principal: 'anna',
      action: 'decide_approval',
      object: `/api/v1/sessions/${SESSION_ID}/approvals/a1`,
      session_id: SESSION_ID,
      session_title: 'checkout restarts',
      decided: {
        tool: 'ops.rollout_undo',
        decision: 'denied',
        arguments: { name: 'checkout' },
        event_id: 'event-7',
      },
    };
    const gone = {
      ...decided,
      id: 'later',
      session_title: null,
      decided: { tool: 'ops.rollout_undo', decision: 'approved', arguments: null, event_id: null },
    };
    serveEntries([decided, gone]);
    openPage('/audit-log');
    const [first, second] = await screen.findAllByTestId('audit-entry');
    if (!first || !second) throw new Error('two entries were expected');
    expect(first).toHaveTextContent('Denied ops.rollout_undo (name=checkout)');
    expect(first).toHaveTextContent('Accepted');
    expect(within(first).getByRole('link', { name: 'checkout restarts' })).toHaveAttribute(
      'href',
      `/sessions/${SESSION_ID}#step-event-7`,
    );
    expect(second).toHaveTextContent('Approved ops.rollout_undo');
    expect(within(second).getByRole('link')).toHaveAttribute('href', `/sessions/${SESSION_ID}`);
  });

  it('says what was read before and after an action', async () => {
    const checked = {
      ...submitted,
      action: 'check_action',
      object: 'ops.scale',
      action_outcome: 'did_not_work',
      action_values: { before: '0', after: '1' },
    };
    serveEntries([checked, { ...checked, id: 'later', action_values: null }]);
    openPage('/audit-log');
    const [first, second] = await screen.findAllByTestId('audit-entry');
    expect(first).toHaveTextContent('Checked ops.scale: did not work (0 before, 1 after)');
    expect(second).toHaveTextContent('Checked ops.scale: did not work');
  });

  it('says for how many requests an entry stands', async () => {
    serveEntries([
      { ...denied, count: 118_200 },
      { ...submitted, count: 1 },
    ]);
    openPage('/audit-log');
    const [counted, single] = await screen.findAllByTestId('audit-entry');
    expect(counted).toHaveTextContent('401, 118,200 requests');
    expect(single).not.toHaveTextContent('request');
  });

  it('filters by what is in the URL, and by what is clicked', async () => {
    const queries = serveEntries([submitted, denied]);
    const user = userEvent.setup();
    const { router } = openPage('/audit-log?outcome=denied&from=2026-11-22T10%3A30');
    await screen.findAllByTestId('audit-entry');
    const since = encodeURIComponent(new Date('2026-11-22T10:30').toISOString());
    expect(queries).toEqual([`?outcome=denied&start_date=${since}&limit=50`]);
    await user.click(screen.getByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(queries.at(-1)).toBe('?limit=50'));
    await user.click(screen.getByRole('button', { name: 'alertmanager' }));
    await waitFor(() => expect(queries.at(-1)).toBe('?principal=alertmanager&limit=50'));
    expect(screen.getByRole('combobox', { name: 'User' })).toHaveValue('alertmanager');
    await user.click(screen.getByRole('button', { name: 'Accepted' }));
    await user.click(screen.getByRole('combobox', { name: 'Action' }));
    await user.click(await screen.findByRole('option', { name: 'Submit alert' }));
    await waitFor(() =>
      expect(router.state.location.search).toBe(
        '?who=alertmanager&action=submit_alert&outcome=allowed',
      ),
    );
  });

  it('goes to older entries and back', async () => {
    const page = Array.from({ length: 50 }, (_, index) => ({ ...submitted, id: `entry-${index}` }));
    const queries = serveEntries(page);
    const user = userEvent.setup();
    openPage('/audit-log');
    await screen.findAllByTestId('audit-entry');
    expect(screen.getByText('Newest')).toBeDisabled();
    await user.click(screen.getByTestId('older-entries'));
    await waitFor(() => expect(queries.at(-1)).toBe('?before=entry-49&limit=50'));
    serveEntries([]);
    await user.click(screen.getByText('Refresh'));
    expect(await screen.findByTestId('no-older-entries')).toBeInTheDocument();
    expect(screen.getByTestId('older-entries')).toBeDisabled();
    serveEntries([submitted]);
    await user.click(screen.getByText('Newest'));
    expect(await screen.findAllByTestId('audit-entry')).toHaveLength(1);
    expect(screen.queryByText('Newest')).not.toBeInTheDocument();
  });

  it('explains an empty log, no match and a failure', async () => {
    serveEntries([]);
    const { router } = openPage('/audit-log');
    expect(await screen.findByTestId('no-entries')).toBeInTheDocument();
    await router.navigate('/audit-log?who=nobody');
    expect(await screen.findByTestId('no-matching-entries')).toBeInTheDocument();
    server.use(answer('/api/v1/audit-log', { detail: 'no database' }, 503));
    await router.navigate('/audit-log?who=somebody');
    expect(await screen.findByTestId('error-state')).toHaveTextContent('no database');
  });
});

it('the audit log says which role it needs', async () => {
  signInAs('responder', ['read', 'submit_alert']);
  openPage('/audit-log');
  const text = await screen.findByTestId('not-permitted');
  expect(text).toHaveTextContent('You do not have permission to read the audit log');
  expect(text).toHaveTextContent('This needs the role operator.');
});

it('a narrow screen has the pages for administrators in a menu', async () => {
  signInAs('admin', ['read', 'submit_alert', 'read_audit_log', 'manage_tokens']);
  serveEntries([]);
  const user = userEvent.setup();
  openPage('/');
  await user.click(await screen.findByRole('button', { name: 'More', hidden: true }));
  expect(await screen.findByRole('menuitem', { name: 'API tokens' })).toBeInTheDocument();
  await user.click(await screen.findByRole('menuitem', { name: 'Audit log' }));
  expect(await screen.findByRole('heading', { name: 'Audit log' })).toBeInTheDocument();
});
