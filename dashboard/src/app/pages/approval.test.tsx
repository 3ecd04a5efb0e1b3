import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { timelineEvent } from '../../test/builders';
import { answer, server } from '../../test/server';
import { openSession, serveSession, sessionPath } from '../../test/session';

const waiting = timelineEvent({
  event_type: 'tool_approval',
  status: 'streaming',
  content: '',
  metadata: { approval_id: 'a1', server_name: 'kubernetes-server', tool_name: 'pods_delete' },
});

function openWaiting() {
  serveSession({ status: 'in_progress', completed_at: null }, [waiting]);
  openSession();
}

describe('a tool call that waits for approval', () => {
  it('is decided with one click', async () => {
    const decisions: unknown[] = [];
    server.use(
      http.post(`${sessionPath}/approvals/a1`, async ({ request }) => {
        decisions.push(await request.json());
        return HttpResponse.json({ id: 'a1', decision: 'denied', decided_by: 'anna' });
      }),
    );
    openWaiting();
    await userEvent.setup().click(await screen.findByTestId('deny-call'));
    await waitFor(() => expect(decisions).toEqual([{ decision: 'deny' }]));
    expect(screen.getByTestId('approve-call')).toBeDisabled();
  });

  it('reports that somebody was faster', async () => {
    server.use(
      http.post(`${sessionPath}/approvals/a1`, () =>
        HttpResponse.json({ title: 'Conflict', detail: 'denied by bert' }, { status: 409 }),
      ),
    );
    openWaiting();
    await userEvent.setup().click(await screen.findByTestId('approve-call'));
    expect(await screen.findByTestId('approval-error')).toHaveTextContent('denied by bert');
  });

  it('has no buttons for users who may not decide', async () => {
    server.use(
      answer('/api/v1/me', {
        name: 'viewer',
        role: 'viewer',
        permissions: ['read'],
        mode: 'proxy',
        insecure: false,
      }),
    );
    openWaiting();
    expect(await screen.findByTestId('approval-request')).toBeInTheDocument();
    await waitFor(() => expect(screen.queryByTestId('approve-call')).not.toBeInTheDocument());
  });
});
