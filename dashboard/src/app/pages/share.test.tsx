import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { sessionDetail } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';

const llm = { provider: 'fast', model: 'm', backend: 'langchain', offline: false, message: '' };

function serve(destinations: readonly string[], status = 'completed') {
  signInAs('responder', ['read', 'share_finding']);
  const sent: unknown[] = [];
  server.use(
    answer('/api/v1/system/info', { version: '1', llm, providers: [], destinations }),
    answer('/api/v1/sessions/one', sessionDetail({ id: 'one', status })),
    answer('/api/v1/sessions/one/timeline', []),
    http.post('/api/v1/sessions/one/share', async ({ request }) => {
      const body = (await request.json()) as { destination: string };
      sent.push(body);
      return body.destination === 'slack'
        ? HttpResponse.json(body, { status: 202 })
        : HttpResponse.json({ message: 'mail has the finding already' }, { status: 409 });
    }),
  );
  return sent;
}

describe('sharing a finding', () => {
  it('sends it to the chosen destination, and says what became of it', async () => {
    const sent = serve(['slack', 'mail']);
    openPage('/sessions/one');
    await userEvent.click(await screen.findByRole('button', { name: 'Share…' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Share the finding' }));
    await userEvent.click(dialog.getByRole('button', { name: 'Send to slack' }));
    expect(await dialog.findByText('It is on its way to slack.')).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'Send to slack' })).toBeDisabled();
    await userEvent.click(dialog.getByRole('button', { name: 'Send to mail' }));
    expect(await dialog.findByText('mail has the finding already')).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'Send to mail' })).toBeEnabled();
    expect(sent).toEqual([{ destination: 'slack' }, { destination: 'mail' }]);
  });

  it('says how a destination is configured where there is none', async () => {
    serve([]);
    openPage('/sessions/one');
    await userEvent.click(await screen.findByRole('button', { name: 'Share…' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Share the finding' }));
    expect(await dialog.findByText(/No destination is configured/)).toBeInTheDocument();
    expect(dialog.queryByRole('button', { name: /Send to/ })).toBeNull();
  });
});
