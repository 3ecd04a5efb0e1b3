import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';
import { SESSION_ID } from '../../test/session';

const STEP = 'bbbbbbbb-0000-7000-8000-000000000002';

const hit = {
  session: {
    id: SESSION_ID,
    title: 'Checkout fails',
    chain_id: 'kubernetes',
    status: 'completed',
    created_at: '2026-11-25T10:00:00Z',
  },
  matches: [
    {
      kind: 'tool_call',
      timeline_event_id: STEP,
      call_number: 3,
      excerpt: 'pod was OOMKilled at night',
      ranges: [{ start: 8, end: 17 }],
    },
  ],
};

describe('the search page', () => {
  it('shows sessions with marked excerpts that lead to their step', async () => {
    server.use(answer('/api/v1/search', { hits: [hit], next_cursor: null }));
    openPage('/search?q=oomkilled');
    const found = await screen.findByTestId('search-hit');
    expect(within(found).getByRole('link', { name: 'Checkout fails' })).toBeInTheDocument();
    expect(within(found).getByText('OOMKilled').tagName).toBe('MARK');
    expect(within(found).getByTestId('search-match')).toHaveAttribute(
      'href',
      `/sessions/${SESSION_ID}#step-${STEP}`,
    );
  });

  it('asks for what was typed and filtered', async () => {
    const asked: URLSearchParams[] = [];
    server.use(
      http.get('/api/v1/search', ({ request }) => {
        asked.push(new URL(request.url).searchParams);
        return HttpResponse.json({ hits: [], next_cursor: null });
      }),
    );
    const { router } = openPage(
      '/search?status=failed&hours=24&chain=kubernetes&severity=critical&author=rosa&review=unreviewed',
    );
    const field = await screen.findByTestId('search-text');
    await waitFor(() => expect(field).toHaveFocus());
    await userEvent.type(field, 'disk full');
    expect(await screen.findByTestId('search-no-hits')).toBeInTheDocument();
    const last = asked.at(-1);
    expect(last?.get('q')).toBe('disk full');
    expect(last?.get('status')).toBe('failed');
    expect(last?.get('start_date')).not.toBeNull();
    expect(last?.get('chain_id')).toBe('kubernetes');
    expect(last?.get('severity')).toBe('critical');
    expect(last?.get('author')).toBe('rosa');
    expect(last?.get('reviewed')).toBe('false');
    expect(router.state.location.search).toContain('q=disk+full');
  });

  it('keeps both of two times that are given at once', async () => {
    server.use(answer('/api/v1/search', { hits: [], next_cursor: null }));
    const { router } = openPage('/search?q=disk&from=2026-11-01T00:00:00.000Z');
    const [from, to] = [await screen.findByLabelText('From'), await screen.findByLabelText('To')];
    act(() => {
      fireEvent.change(from, { target: { value: '2026-11-20T10:00' } });
      fireEvent.change(to, { target: { value: '2026-11-21T10:00' } });
    });
    await waitFor(() => expect(router.state.location.search).toContain('to=2026-11-21'));
    expect(router.state.location.search).toContain('from=2026-11-20');
  });

  it('goes on with older sessions', async () => {
    server.use(
      http.get('/api/v1/search', ({ request }) => {
        const first = new URL(request.url).searchParams.get('cursor') === null;
        return HttpResponse.json(
          first ? { hits: [], next_cursor: '1_2' } : { hits: [hit], next_cursor: null },
        );
      }),
    );
    openPage('/search?q=oomkilled');
    await userEvent.click(await screen.findByTestId('older-hits'));
    expect(await screen.findByTestId('search-hit')).toBeInTheDocument();
    expect(screen.queryByTestId('older-hits')).not.toBeInTheDocument();
  });

  it('says what failed', async () => {
    server.use(answer('/api/v1/search', { title: 'Unavailable', status: 503 }, 503));
    openPage('/search?q=oomkilled');
    expect(await screen.findByText('Could not load search results')).toBeInTheDocument();
  });
});
