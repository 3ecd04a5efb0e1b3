import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { run } from 'axe-core';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { sessionItem, sessionPage } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';
import { openSession, serveSession, SESSION_ID, sessionPath } from '../../test/session';
import { verdict } from '../../test/verdict';

const ended = { status: 'completed', final_analysis: 'The disk is full.' };
const wrong = {
  review: 'wrong',
  actual_cause: 'The certificate expired.',
  object: 'shop/broker',
  category: 'certificate',
  reviewer: 'bob',
  reviewed_at: '2026-11-22T02:00:00Z',
};

const findPanel = async () => within(await screen.findByTestId('review'));

/** Answers reviews that are saved, and records them. */
function acceptReviews() {
  const saved: unknown[] = [];
  server.use(
    http.put(`${sessionPath}/review`, async ({ request }) => {
      saved.push(await request.json());
      return HttpResponse.json({ ...wrong, reviewer: 'alice' });
    }),
  );
  return saved;
}

async function fillIn(user: ReturnType<typeof userEvent.setup>) {
  const panel = await findPanel();
  await user.click(await panel.findByRole('radio', { name: 'Wrong' }));
  await user.type(panel.getByRole('textbox', { name: /^Actual cause/ }), 'It expired.');
  return panel;
}

describe('a review', () => {
  it('is saved with its actual cause, and shown with its reviewer', async () => {
    signInAs('responder', ['read', 'review_session']);
    serveSession(ended);
    const saved = acceptReviews();
    const { container } = openSession();
    const user = userEvent.setup();
    const panel = await fillIn(user);
    const { violations } = await run(container, {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    server.use(answer(`${sessionPath}/review`, { review: wrong, history: [] }));
    await user.click(panel.getByTestId('save-review'));
    expect(await panel.findByTestId('review-entry')).toHaveTextContent('Wrong');
    expect(saved).toEqual([{ review: 'wrong', actual_cause: 'It expired.' }]);
    expect(panel.getByText('The review was saved.')).toBeInTheDocument();
    expect(panel.queryByTestId('review-form')).not.toBeInTheDocument();
    expect(sessionStorage).toHaveLength(0);
  });

  it('that is refused keeps what was entered, and says what to do', async () => {
    signInAs('responder', ['read', 'review_session']);
    serveSession(ended);
    const problem = { title: 'Unavailable', detail: 'The database is unavailable.' };
    server.use(
      http.put(`${sessionPath}/review`, () => HttpResponse.json(problem, { status: 503 })),
    );
    const { unmount } = openSession();
    const user = userEvent.setup();
    const panel = await fillIn(user);
    await user.keyboard('{Control>}{Enter}{/Control}');
    const error = await panel.findByTestId('review-error');
    expect(error).toHaveTextContent('The database is unavailable. What you entered is kept.');
    unmount();
    openSession();
    const again = await findPanel();
    expect(await again.findByRole('radio', { name: 'Wrong' })).toBeChecked();
    expect(again.getByRole('textbox', { name: /^Actual cause/ })).toHaveValue('It expired.');
  });

  it('with a bad value names the field', async () => {
    signInAs('responder', ['read', 'review_session']);
    serveSession(ended);
    const errors = [{ field: 'object', message: 'has at most 200 characters' }];
    server.use(
      http.put(`${sessionPath}/review`, () =>
        HttpResponse.json({ title: 'Bad request', errors }, { status: 400 }),
      ),
    );
    openSession();
    const user = userEvent.setup();
    const panel = await fillIn(user);
    await user.click(panel.getByTestId('save-review'));
    expect(await panel.findByText('has at most 200 characters')).toBeInTheDocument();
    expect(panel.getByRole('textbox', { name: /^Object/ })).toBeInvalid();
  });

  it('is read-only for those who may not review', async () => {
    signInAs('viewer', ['read']);
    serveSession({ ...ended, review: 'wrong' });
    const earlier = { ...wrong, review: 'accurate', actual_cause: null, reviewer: 'carol' };
    const history = [{ ...earlier, reviewed_at: '2026-11-22T01:30:00Z' }];
    server.use(answer(`${sessionPath}/review`, { review: wrong, history }));
    openSession();
    const panel = await findPanel();
    const entry = await panel.findByTestId('review-entry');
    for (const words of ['Wrong', 'bob', 'The certificate expired.', 'shop/broker']) {
      expect(entry).toHaveTextContent(words);
    }
    await userEvent.setup().click(panel.getByRole('button', { name: '1 earlier review' }));
    expect(panel.getAllByTestId('review-entry')[1]).toHaveTextContent('carol');
    await waitFor(() => expect(panel.queryByRole('radio')).not.toBeInTheDocument());
    expect(panel.queryByRole('button', { name: 'Add another review' })).not.toBeInTheDocument();
  });

  it('is not offered before the session has ended', async () => {
    serveSession({ status: 'in_progress' });
    openSession();
    await screen.findByTestId('stages');
    expect(screen.queryByTestId('review')).not.toBeInTheDocument();
  });
});

describe('a problem that was seen before', () => {
  const known = {
    session_id: 'bbbbbbbb-0000-7000-8000-000000000009',
    review: 'partly',
    actual_cause: 'A full inode table',
    object: 'web-1',
    category: 'disk',
    finding: 'The disk is full.',
    ended_at: '2026-11-20T00:00:00Z',
  };

  it('shows the reviewed sessions and those of the same fingerprint', async () => {
    serveSession({
      ...ended,
      fingerprint: 'abc',
      earlier_sessions: { count: 2, last_session_id: known.session_id },
      seen_before: [known],
    });
    const queries: URLSearchParams[] = [];
    server.use(
      http.get('/api/v1/sessions', ({ request }) => {
        queries.push(new URL(request.url).searchParams);
        const failed = { id: known.session_id, status: 'failed', review: 'partly' };
        return HttpResponse.json(sessionPage([sessionItem(), sessionItem(failed)]));
      }),
    );
    openSession();
    const panel = within(await screen.findByTestId('seen-before'));
    const seen = panel.getByTestId('seen-session');
    for (const words of ['Partly accurate', 'A full inode table', 'web-1 · disk']) {
      expect(seen).toHaveTextContent(words);
    }
    expect(await within(seen).findByRole('link')).toHaveAttribute(
      'href',
      `/sessions/${known.session_id}`,
    );
    expect(queries).toHaveLength(0);
    const user = userEvent.setup();
    await user.click(panel.getByRole('button', { name: '2 earlier sessions of the same alert' }));
    const [row, ...others] = await panel.findAllByTestId('earlier-session');
    expect(row).toHaveTextContent('Failed');
    expect(others).toEqual([]);
    expect(queries[0]?.get('fingerprint')).toBe('abc');
    expect(queries[0]?.get('end_date')).toBe(sessionItem().created_at);
    await user.click(screen.getByRole('link', { name: 'Seen 2 times before' }));
    expect(screen.getByTestId('seen-before')).toHaveFocus();
    window.history.replaceState(null, '', '/');
  });

  it('shows the memories that the investigation was given', async () => {
    const recalled = {
      memory_id: '01a20000-0000-7000-8000-000000000001',
      text: 'the pool of billing is too small',
      session_id: known.session_id,
      review: 'wrong',
      ended_at: known.ended_at,
    };
    serveSession({ ...ended, recalled: [recalled] });
    openSession();
    const shown = await screen.findByTestId('recalled');
    expect(shown).toHaveTextContent('Memory: the pool of billing is too small');
    // Hidden until the rest of its column is loaded.
    expect(await within(shown).findByRole('link')).toHaveAttribute(
      'href',
      `/sessions/${known.session_id}`,
    );
  });

  it('is not mentioned for a new one', async () => {
    serveSession({ ...ended, fingerprint: 'abc', earlier_sessions: { count: 0 } });
    openSession();
    await screen.findByTestId('review');
    expect(screen.queryByTestId('seen-before')).not.toBeInTheDocument();
  });
});

describe('what changed before the alert', () => {
  it('is on an axis of time and in a list, with its page', async () => {
    const change = {
      id: 'cccccccc-0000-7000-8000-000000000001',
      source: 'github',
      kind: 'deployment',
      object: 'shop/checkout',
      service: 'checkout',
      author: 'rosa',
      link: 'https://ci.example/118',
      text: 'checkout 1.8.2 was deployed',
      occurred_at: '2026-11-20T00:00:00Z',
    };
    const other = { ...change, id: 'cccccccc-0000-7000-8000-000000000002', link: 'javascript:x' };
    serveSession({ ...ended, changes: [change, other], verdict: verdict({ change: other }) });
    openSession();
    const panel = within(await screen.findByTestId('changes'));
    expect(panel.getByLabelText(/^2 changes in the .+ before the alert$/)).toBeInTheDocument();
    const [first, second] = panel.getAllByTestId('change');
    expect(first).not.toHaveTextContent('Explains the cause');
    expect(second).toHaveTextContent('Explains the cause');
    for (const words of ['checkout 1.8.2 was deployed', 'Deployment', 'by rosa', 'github']) {
      expect(first).toHaveTextContent(words);
    }
    // Hidden until the rest of its column is loaded.
    const pages = await panel.findAllByRole('link');
    expect(pages.map((page) => page.getAttribute('href'))).toEqual(['https://ci.example/118']);
  });

  it('is not mentioned without any', async () => {
    serveSession(ended);
    openSession();
    await screen.findByTestId('review');
    expect(screen.queryByTestId('changes')).not.toBeInTheDocument();
  });
});

describe('the list', () => {
  it('shows reviews and earlier sessions, and filters by review, chain and fingerprint', async () => {
    const queries: URLSearchParams[] = [];
    const reviewed = { review: 'wrong', fingerprint: 'abc', earlier_sessions: { count: 3 } };
    server.use(
      answer('/api/v1/sessions/filter-options', { chain_ids: ['host-health', 'pods'] }),
      http.get('/api/v1/sessions', ({ request }) => {
        queries.push(new URL(request.url).searchParams);
        return HttpResponse.json(sessionPage([sessionItem({ id: SESSION_ID, ...reviewed })]));
      }),
    );
    const { router } = openPage('/?fingerprint=abc&review=unreviewed');
    const row = await screen.findByTestId('session-row');
    expect(row).toHaveTextContent('Wrong');
    expect(row).toHaveTextContent('seen 3× before');
    const [first] = queries;
    expect([first?.get('reviewed'), first?.get('review')]).toEqual(['false', null]);
    expect(first?.get('fingerprint')).toBe('abc');
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Filters (active)' }));
    await user.click(await screen.findByRole('combobox', { name: 'Review' }));
    await user.click(await screen.findByRole('option', { name: 'Wrong' }));
    await user.click(await screen.findByRole('combobox', { name: 'Chain' }));
    await user.click(await screen.findByRole('option', { name: 'pods' }));
    const chip = within(screen.getByTestId('filter-fingerprint'));
    await user.click(chip.getByTestId('CancelIcon'));
    await waitFor(() => expect(router.state.location.search).toBe('?chain=pods&review=wrong'));
    await waitFor(() => expect(queries.at(-1)?.get('review')).toBe('wrong'));
    expect(queries.at(-1)?.get('reviewed')).toBeNull();
  });
});
