import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { sessionDetail } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';

const emptyList = {
  sessions: [],
  pagination: { page: 1, page_size: 25, total_pages: 0, total_items: 0 },
};

function serveDemo(detail: object = {}) {
  server.use(
    answer('/api/v1/sessions', emptyList),
    answer('/api/v1/example-alerts', { examples: [] }),
    answer(
      '/api/v1/sessions/demo-1',
      sessionDetail({ id: 'demo-1', origin: 'replay', replay_of: 'record-1', ...detail }),
    ),
    answer('/api/v1/sessions/demo-1/timeline', []),
    http.post('/api/v1/demo', () => HttpResponse.json({ session_id: 'demo-1' }, { status: 202 })),
  );
}

describe('the recorded incident', () => {
  it('opens from the empty list, and is labelled', async () => {
    serveDemo();
    const { router } = openPage('/');
    await userEvent.click(await screen.findByTestId('start-demo'));
    await waitFor(() => expect(router.state.location.pathname).toBe('/sessions/demo-1'));
    const label = await screen.findByTestId('recorded');
    expect(label).toHaveTextContent(
      'RecordedTool results come from a record; nothing was executed.',
    );
    const record = screen.getByRole('link', { name: 'Open the record' });
    expect(record).toHaveAttribute('href', '/sessions/record-1');
  });

  it('opens beside the form, which says why it does not start', async () => {
    serveDemo();
    const message = 'too many alerts within a minute';
    server.use(http.post('/api/v1/demo', () => HttpResponse.json({ message }, { status: 429 })));
    openPage('/submit');
    await userEvent.click(await screen.findByTestId('start-demo'));
    expect(await screen.findByText(message)).toBeInTheDocument();
  });
});
