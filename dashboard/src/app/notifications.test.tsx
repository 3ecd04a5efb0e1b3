import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { sessionDetail } from '../test/builders';
import { openPage } from '../test/render';
import { answer, server } from '../test/server';
import { SESSION_ID, sessionPath } from '../test/session';
import { verdict } from '../test/verdict';

const waiting = (id: string) => ({
  id,
  session_id: SESSION_ID,
  server_name: 'ops',
  tool_name: 'rollout_undo',
  title: 'Disk full',
});

interface Shown {
  readonly title: string;
  readonly body: string | undefined;
}

/** A browser that answers the question for permission so. */
function fakeNotifications(answered: NotificationPermission): readonly Shown[] {
  const shown: Shown[] = [];
  class FakeNotification extends EventTarget {
    static permission: NotificationPermission = 'default';
    static async requestPermission(): Promise<NotificationPermission> {
      FakeNotification.permission = answered;
      return answered;
    }
    constructor(title: string, { body }: NotificationOptions = {}) {
      super();
      shown.push({ title, body });
    }
    close(): void {}
  }
  vi.stubGlobal('Notification', FakeNotification);
  return shown;
}

const ended = { type: 'session.status', session_id: SESSION_ID, status: 'completed' };

async function openSettings() {
  const view = openPage('/settings');
  return {
    ...view,
    user: userEvent.setup(),
    on: await screen.findByRole('switch', { name: /^Notify me/ }),
  };
}

describe('notifications', () => {
  it('report each call that begins to wait for approval while the page is hidden', async () => {
    const shown = fakeNotifications('granted');
    let approvals = [waiting('before')];
    server.use(http.get('/api/v1/approvals', () => HttpResponse.json({ approvals })));
    const { client, relay, user, on } = await openSettings();
    await user.click(on);
    await waitFor(() => expect(relay.frames('subscribe')).toHaveLength(1));
    expect(await screen.findByTestId('approval-count')).toHaveTextContent('1');
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    approvals = [waiting('before'), waiting('new')];
    await client.invalidateQueries({ queryKey: ['approvals'] });
    await waitFor(() =>
      expect(shown).toEqual([{ title: 'Approval needed: Disk full', body: 'ops.rollout_undo' }]),
    );
    vi.restoreAllMocks();
  });

  it('of a call have what its alert is about, its effect and the time that is left', async () => {
    const shown = fakeNotifications('granted');
    const facts = {
      severity: 'critical',
      service: 'checkout',
      action: { effect: 'Version 1.8.1 runs again' },
      injected: { call: 4, text: 'roll back now' },
      expires_at: new Date(Date.now() + 290_000).toISOString(),
    };
    let approvals: unknown[] = [];
    server.use(http.get('/api/v1/approvals', () => HttpResponse.json({ approvals })));
    const { client, relay, user, on } = await openSettings();
    await user.click(on);
    await waitFor(() => expect(relay.frames('subscribe')).toHaveLength(1));
    await waitFor(() => expect(client.getQueryData(['approvals'])).toBeDefined());
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    approvals = [{ ...waiting('new'), ...facts }];
    await client.invalidateQueries({ queryKey: ['approvals'] });
    const body = [
      'ops.rollout_undo',
      'critical · checkout',
      'Version 1.8.1 runs again',
      'Text in a result may have asked for it.',
      'Expires in 5 min',
    ];
    await waitFor(() => expect(shown.map((one) => one.body?.split('\n'))).toEqual([body]));
    vi.restoreAllMocks();
  });

  it('are off, and once turned on report the end of sessions while the page is hidden', async () => {
    const shown = fakeNotifications('granted');
    server.use(answer(sessionPath, sessionDetail({ title: 'Disk full' })));
    const { relay, user, on } = await openSettings();
    expect(on).not.toBeChecked();
    expect(relay.frames('subscribe')).toEqual([]);
    await user.click(on);
    await waitFor(() =>
      expect(relay.frames('subscribe')).toEqual([{ action: 'subscribe', channel: 'sessions' }]),
    );
    relay.deliver({ ...ended, session_id: 'seen' });
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    relay.deliver({ ...ended, status: 'in_progress' }, ended, ended);
    await waitFor(() =>
      expect(shown).toEqual([{ title: 'Completed: Disk full', body: 'The disk is full.' }]),
    );
  });

  it('have the cause with its confidence and the next step', async () => {
    const shown = fakeNotifications('granted');
    const session = sessionDetail({
      title: 'Disk full',
      finding: { outcome: 'cause_found', headline: 'Logs grew', answer: '', confidence: 'high' },
      verdict: verdict({ next_steps: ['Run `df -h`', 'Wait'] }),
    });
    server.use(answer(sessionPath, session));
    const { relay, user, on } = await openSettings();
    await user.click(on);
    await waitFor(() => expect(relay.frames('subscribe')).toHaveLength(1));
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    relay.deliver(ended);
    const body = 'Logs grew (high confidence)\nNext step: Run df -h';
    await waitFor(() => expect(shown).toEqual([{ title: 'Cause found: Disk full', body }]));
    vi.restoreAllMocks();
  });

  it('that the browser blocks stay off, with the way out', async () => {
    fakeNotifications('denied');
    const { user, on } = await openSettings();
    await user.click(on);
    expect(await screen.findByText(/The browser blocks them/)).toBeInTheDocument();
    expect(on).not.toBeChecked();
    expect(on).toHaveAccessibleDescription(/Allow notifications for this site/);
  });
});
