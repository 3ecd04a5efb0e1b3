import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { run } from 'axe-core';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { sessionItem, sessionPage } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';
import { openSession, serveSession, sessionPath } from '../../test/session';

const ended = { status: 'completed', final_analysis: 'The disk is full.' };
const may = ['read', 'triage_session'];

const findPanel = async () => within(await screen.findByTestId('triage'));

/** The state of work that the API has. */
const work = (triage: string, assignee: string | null, entries: readonly object[] = []) => ({
  triage,
  assignee,
  entries: [...entries],
});

/** Answers changes with a state, and records them. */
function acceptChanges(after: ReturnType<typeof work>) {
  const sent: unknown[] = [];
  server.use(
    http.post(`${sessionPath}/triage`, async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json(after);
    }),
  );
  return sent;
}

describe('the work on a session', () => {
  it('is taken, and shown with its assignee', async () => {
    signInAs('responder', may);
    serveSession(ended);
    server.use(answer(`${sessionPath}/triage`, work('new', null)));
    const sent = acceptChanges(work('taken', 'alice'));
    const { container } = openSession();
    const user = userEvent.setup();
    const panel = await findPanel();
    const { violations } = await run(container, {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    await user.click(panel.getByRole('button', { name: 'Take' }));
    expect(await panel.findByTestId('triage-badge')).toHaveTextContent('Taken by alice');
    expect(panel.getByRole('button', { name: 'Give back' })).toBeInTheDocument();
    expect(sent).toEqual([{ triage: 'taken' }]);
  });

  it('that another person took meanwhile says who that is, and can be taken over', async () => {
    signInAs('responder', may);
    serveSession(ended);
    const detail = 'taken by bob; take it over to change it';
    server.use(
      answer(`${sessionPath}/triage`, work('new', null)),
      http.post(`${sessionPath}/triage`, () => {
        serveSession({ ...ended, triage: 'taken', assignee: 'bob' });
        return HttpResponse.json({ title: 'Conflict', detail }, { status: 409 });
      }),
    );
    openSession();
    const user = userEvent.setup();
    const panel = await findPanel();
    await user.click(panel.getByRole('button', { name: 'Take' }));
    expect(await panel.findByTestId('triage-error')).toHaveTextContent('taken by bob;');
    const over = await panel.findByRole('button', { name: 'Take over' });
    const sent = acceptChanges(work('taken', 'alice'));
    await user.click(over);
    await waitFor(() => expect(sent).toEqual([{ triage: 'taken', take_over: true }]));
    expect(await panel.findByTestId('triage-badge')).toHaveTextContent('Taken by alice');
    expect(panel.queryByTestId('triage-error')).not.toBeInTheDocument();
  });

  it('has notes, of which another attempt is the same note until it is edited', async () => {
    signInAs('responder', may);
    serveSession(ended);
    server.use(answer(`${sessionPath}/triage`, work('new', null)));
    const sent: { id?: string; note?: string }[] = [];
    const entry = {
      id: 'e1',
      triage: null,
      assignee: null,
      note: 'The exporter was restarted.',
      author: 'alice',
      created_at: '2026-11-22T02:00:00Z',
    };
    server.use(
      http.post<never, { id?: string; note?: string }>(
        `${sessionPath}/triage`,
        async ({ request }) => {
          sent.push(await request.json());
          if (sent.length < 3) return HttpResponse.json({ detail: 'no' }, { status: 503 });
          const after = work('new', null, [entry]);
          server.use(answer(`${sessionPath}/triage`, after));
          return HttpResponse.json(after);
        },
      ),
    );
    openSession();
    const user = userEvent.setup();
    const panel = await findPanel();
    await user.click(panel.getByRole('button', { name: 'Add a note or assign' }));
    await user.type(panel.getByRole('textbox', { name: 'Note' }), 'The exporter was restarted');
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(await panel.findByTestId('note-error')).toHaveTextContent('What you entered is kept.');
    await user.click(panel.getByTestId('save-note'));
    await waitFor(() => expect(sent).toHaveLength(2));
    await user.type(panel.getByRole('textbox', { name: 'Note' }), '.');
    await user.click(panel.getByTestId('save-note'));
    expect(await panel.findByTestId('triage-entry')).toHaveTextContent('alice');
    expect(panel.getByText('The exporter was restarted.')).toBeInTheDocument();
    const [first, second, edited] = sent;
    expect(first?.note).toBe(second?.note);
    expect(first?.id).toBe(second?.id);
    expect(edited?.note).toBe('The exporter was restarted.');
    expect(edited?.id).not.toBe(first?.id);
    expect(panel.getByRole('textbox', { name: 'Note' })).toHaveValue('');
  });

  it('asks for changes and notes where there are some', async () => {
    signInAs('viewer', ['read']);
    serveSession({ ...ended, triage: 'done', assignee: 'bob', triage_entries: 1 });
    const entry = {
      id: 'e1',
      triage: 'done',
      assignee: 'bob',
      note: null,
      author: 'bob',
      created_at: '2026-11-22T02:00:00Z',
    };
    server.use(answer(`${sessionPath}/triage`, work('done', 'bob', [entry])));
    openSession();
    const panel = await findPanel();
    expect(await panel.findByTestId('triage-entry')).toHaveTextContent('Marked as done by bob');
    expect(panel.queryByText('No notes yet.')).not.toBeInTheDocument();
  });

  it('asks for none where there is none', async () => {
    signInAs('viewer', ['read']);
    serveSession(ended);
    const asked: string[] = [];
    server.use(
      http.get(`${sessionPath}/triage`, ({ request }) => {
        asked.push(request.url);
        return HttpResponse.json(work('new', null));
      }),
    );
    openSession();
    const panel = await findPanel();
    expect(await panel.findByText('No notes yet.')).toBeVisible();
    expect(asked).toEqual([]);
  });

  it('is read by everybody, and changed by those who may', async () => {
    signInAs('viewer', ['read']);
    serveSession({ ...ended, triage: 'done', assignee: 'bob' });
    server.use(answer(`${sessionPath}/triage`, work('done', 'bob')));
    openSession();
    const panel = await findPanel();
    expect(panel.getByTestId('triage-badge')).toHaveTextContent('Done by bob');
    await waitFor(() => expect(panel.queryByRole('button')).not.toBeInTheDocument());
  });
});

describe('the list', () => {
  const outcomeOf = (row: HTMLElement | undefined) =>
    within(row ?? document.body).findByTestId('row-outcome');
  const idOf = (number: number) => `aaaaaaaa-0000-7000-8000-00000000000${number}`;

  it('has the sessions of the user, in its address', async () => {
    signInAs('responder', may);
    const asked: string[] = [];
    server.use(
      http.get('/api/v1/sessions', ({ request }) => {
        asked.push(new URL(request.url).search);
        return HttpResponse.json(
          sessionPage([sessionItem({ triage: 'taken', assignee: 'alice' })]),
        );
      }),
    );
    openPage('/');
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'My sessions' }));
    await waitFor(() => expect(asked.at(-1)).toMatch(/triage=taken.*mine=true/));
    expect(await screen.findByTestId('chip-mine')).toBeInTheDocument();
    expect(await screen.findByTestId('triage-badge')).toHaveTextContent('Taken by alice');
    const toggle = { name: 'My sessions', pressed: true };
    expect(screen.getByRole('button', toggle)).toBeInTheDocument();
  });

  it('takes selected sessions by keyboard, and says which were not', async () => {
    signInAs('responder', may);
    server.use(
      answer('/api/v1/sessions', sessionPage([1, 2].map((n) => sessionItem({ id: idOf(n) })))),
      http.post('/api/v1/sessions/:id/triage', ({ params }) => {
        const detail = 'taken by bob; take it over to change it';
        if (params.id === idOf(2)) return HttpResponse.json({ detail }, { status: 409 });
        return HttpResponse.json(work('taken', 'alice'));
      }),
    );
    openPage('/');
    const user = userEvent.setup();
    const rows = await screen.findAllByTestId('session-row');
    await user.click(screen.getByRole('checkbox', { name: /^Select all/ }));
    const bar = within(await screen.findByTestId('bulk-bar'));
    await user.keyboard('w');
    expect(bar.getByRole('button', { name: 'Work' })).toHaveFocus();
    await user.keyboard('{Enter}');
    expect(await screen.findByRole('menuitem', { name: 'Take' })).toBeInTheDocument();
    await user.click(screen.getByRole('menuitem', { name: 'Take' }));
    expect(await bar.findByText('1 session done, 1 failed. 1 session selected')).toBeVisible();
    expect(await outcomeOf(rows[0])).toHaveTextContent('Taken by alice');
    expect(await outcomeOf(rows[1])).toHaveTextContent('Failed: taken by bob');
  });
});
