import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';
import { SESSION_ID } from '../../test/session';

const memory = {
  id: '01a20000-0000-7000-8000-000000000001',
  text: 'a log without rotation fills the disk',
  object: 'web-1',
  category: 'disk',
  state: 'active',
  confirmations: 2,
  contradictions: 1,
  created_at: new Date(Date.now() - 86_400_000).toISOString(),
  confirmed_at: new Date(Date.now() - 120_000).toISOString(),
  edited_by: null,
  edited_at: null,
  sources: [
    {
      session_id: SESSION_ID,
      title: 'Disk full',
      effect: 'confirms',
      review: 'accurate',
      reviewer: 'rosa',
      ended_at: new Date(Date.now() - 180_000).toISOString(),
    },
  ],
};

/** Serves memories; returns the query of each request. */
function serve(memories: readonly object[], next: string | null = null) {
  const queries: URLSearchParams[] = [];
  server.use(
    http.get('/api/v1/memories', ({ request }) => {
      const params = new URL(request.url).searchParams;
      queries.push(params);
      return HttpResponse.json({ memories, next_cursor: params.has('cursor') ? null : next });
    }),
  );
  return queries;
}

async function row() {
  return within(await screen.findByTestId('memory'));
}

describe('the page of memories', () => {
  it('shows what was confirmed, by which sessions, and nothing to change for a viewer', async () => {
    signInAs('viewer', ['read']);
    serve([memory]);
    openPage('/memories');
    const shown = await row();
    expect(shown.getByText(memory.text)).toBeInTheDocument();
    expect(shown.getByText(/web-1 · disk/)).toHaveTextContent('2 confirmations, 1 contradiction');
    const link = shown.getByRole('link', { name: 'Disk full' });
    expect(link).toHaveAttribute('href', `/sessions/${SESSION_ID}`);
    expect(shown.queryByRole('button')).toBeNull();
  });

  it('says how memories come about, and that they cannot be read', async () => {
    serve([]);
    const { unmount } = openPage('/memories');
    expect(await screen.findByTestId('no-memories')).toHaveTextContent('Review the finding');
    unmount();
    server.use(answer('/api/v1/memories', { title: 'Unavailable' }, 503));
    openPage('/memories');
    expect(await screen.findByRole('button', { name: /retry|try again/i })).toBeInTheDocument();
  });

  it('filters by words and state, and goes through pages', async () => {
    const queries = serve([memory], 'next-1');
    openPage('/memories');
    await row();
    await userEvent.click(screen.getByRole('button', { name: 'Next' }));
    await waitFor(() => expect(queries.at(-1)?.get('cursor')).toBe('next-1'));
    await userEvent.click(await screen.findByRole('button', { name: 'Retired' }));
    await waitFor(() => expect(queries.at(-1)?.get('state')).toBe('retired'));
    expect(queries.at(-1)?.has('cursor')).toBe(false);
    await userEvent.type(screen.getByLabelText('Words'), 'disk');
    await waitFor(() => expect(queries.at(-1)?.get('q')).toBe('disk'));
    await userEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(queries.at(-1)?.toString()).toBe('limit=50'));
  });

  it('edits, retires and deletes', async () => {
    signInAs('responder', ['read', 'review_session']);
    serve([memory]);
    const changes: unknown[] = [];
    server.use(
      http.patch(`/api/v1/memories/${memory.id}`, async ({ request }) => {
        changes.push(await request.json());
        return HttpResponse.json(memory);
      }),
      http.delete(`/api/v1/memories/${memory.id}`, () => {
        changes.push('deleted');
        return new HttpResponse(null, { status: 204 });
      }),
    );
    openPage('/memories');
    const shown = await row();
    await userEvent.click(shown.getByRole('button', { name: 'Retire' }));
    await waitFor(() => expect(changes).toEqual([{ state: 'retired' }]));
    await userEvent.click(shown.getByRole('button', { name: 'Edit' }));
    const field = await screen.findByLabelText(/The fact/);
    expect(field).toHaveFocus();
    await userEvent.clear(field);
    await userEvent.type(field, 'rotate the log');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByTestId('memory-dialog')).toBeNull());
    await userEvent.click(shown.getByRole('button', { name: 'Delete' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete memory' }));
    await waitFor(() => expect(changes.slice(1)).toEqual([{ text: 'rotate the log' }, 'deleted']));
  });

  it('exports all pages as JSON', async () => {
    const queries = serve([memory], 'next-1');
    const saved: Blob[] = [];
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
      if (blob instanceof Blob) saved.push(blob);
      return 'blob:x';
    });
    openPage('/memories');
    await row();
    await userEvent.click(screen.getByTestId('export-memories'));
    await waitFor(() => expect(saved).toHaveLength(1));
    const document: unknown = JSON.parse((await saved[0]?.text()) ?? '');
    expect(document).toEqual({ memories: [memory, memory] });
    expect(queries.at(-1)?.get('cursor')).toBe('next-1');
  });
});
