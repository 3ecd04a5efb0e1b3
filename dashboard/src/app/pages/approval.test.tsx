import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { timelineEvent } from '../../test/builders';
import { answer, server } from '../../test/server';
import { openSession, serveSession, sessionPath } from '../../test/session';

function withArguments(args?: object) {
  return timelineEvent({
    event_type: 'tool_approval',
    status: 'streaming',
    content: '',
    metadata: {
      approval_id: 'a1',
      server_name: 'kubernetes-server',
      tool_name: 'pods_delete',
      arguments: args,
    },
  });
}

const waiting = withArguments();

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

  it('says how to get what deciding needs where this browser lacks the token of the start', async () => {
    server.use(
      answer('/api/v1/me', {
        name: 'api-client',
        role: null,
        permissions: ['read', 'read_trace', 'submit_alert'],
        mode: 'local',
        insecure: false,
      }),
    );
    openWaiting();
    expect(await screen.findByTestId('local-token-hint')).toHaveTextContent(
      'To approve or deny this call, open the address that tarsy up printed, or run tarsy open',
    );
    expect(screen.queryByTestId('approve-call')).not.toBeInTheDocument();
    expect(screen.getByTestId('cancel-session')).toBeEnabled();
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

/** Gives the arguments a height, which jsdom does not lay out. */
function withHeight(content: number, visible: number) {
  const isArguments = (element: Element) => element.getAttribute('aria-label') === 'Arguments';
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockImplementation(function height(
    this: Element,
  ) {
    return isArguments(this) ? content : 0;
  });
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockImplementation(function height(
    this: Element,
  ) {
    return isArguments(this) ? visible : 0;
  });
}

describe('a call of which a part is on the screen', () => {
  const sql = `select 1;${' '.repeat(2500)}drop\u200b table users`;
  const decisions: unknown[] = [];

  function openLong(content: number) {
    decisions.length = 0;
    withHeight(content, 384);
    server.use(
      http.post(`${sessionPath}/approvals/a1`, async ({ request }) => {
        decisions.push(await request.json());
        return HttpResponse.json({ id: 'a1', decision: 'approved', decided_by: 'anna' });
      }),
    );
    serveSession({ status: 'in_progress', completed_at: null }, [withArguments({ sql })]);
    openSession();
  }

  afterEach(() => vi.restoreAllMocks());

  it('shows what nobody sees, and each statement on a line', async () => {
    openLong(100);
    const shown = await screen.findByTestId('call-arguments');
    expect(shown.textContent).toBe(
      '{\n  "sql": "select 1;\n      ·[×2500]drop[U+200B] table users"\n}',
    );
    const approve = screen.getByTestId('approve-call');
    await waitFor(() => expect(approve).toHaveAttribute('aria-disabled', 'false'));
    expect(screen.queryByTestId('approve-explanation')).not.toBeInTheDocument();
  });

  it('is not approved before its end was shown, by mouse or keyboard, and says why', async () => {
    openLong(4000);
    const approve = await screen.findByTestId('approve-call');
    expect(approve).toHaveAccessibleDescription(/scroll all arguments to their end, or show all/);
    const user = userEvent.setup();
    fireEvent.click(approve);
    approve.focus();
    expect(approve).toHaveFocus();
    await user.keyboard('{Enter} ');
    expect(decisions).toEqual([]);

    const shown = screen.getByTestId('call-arguments');
    fireEvent.scroll(shown, { target: { scrollTop: 2000 } });
    expect(approve).toHaveAttribute('aria-disabled', 'true');
    fireEvent.scroll(shown, { target: { scrollTop: 3616 } });
    await waitFor(() => expect(approve).toHaveAttribute('aria-disabled', 'false'));
    await user.click(approve);
    await waitFor(() => expect(decisions).toEqual([{ decision: 'approve' }]));
  });

  it('is approved once all of it is shown', async () => {
    openLong(4000);
    const user = userEvent.setup();
    const showAll = await screen.findByRole('button', { name: 'Show all 4 lines' });
    showAll.focus();
    await user.keyboard('{Enter}');
    await user.click(screen.getByTestId('approve-call'));
    await waitFor(() => expect(decisions).toEqual([{ decision: 'approve' }]));
  });

  it('is denied at any time', async () => {
    openLong(4000);
    await userEvent.setup().click(await screen.findByTestId('deny-call'));
    await waitFor(() => expect(decisions).toEqual([{ decision: 'deny' }]));
  });
});
