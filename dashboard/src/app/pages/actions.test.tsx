import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { timelineEvent } from '../../test/builders';
import { server } from '../../test/server';
import { openSession, serveSession, sessionPath } from '../../test/session';

const plan = {
  effect: 'checkout has\u200b three ready replicas',
  check: {
    call: { server_name: 'ops', tool_name: 'replicas', arguments: { of: 'checkout' } },
    expected: { pointer: '/ready', kind: 'at_least', value: 3 },
  },
  rollback: { call: { server_name: 'ops', tool_name: 'scale', arguments: { to: 1 } } },
};

const action = {
  ...plan,
  id: 'x1',
  call_number: 3,
  call: { server_name: 'ops', tool_name: 'scale', arguments: { to: 3 } },
  state: 'ended',
  outcome: 'did_not_work',
  reason: 'expected: /ready is at least 3; found: 1, before the call: 0',
  before: { call_number: 4, observed: '0', shows_effect: false },
  observed: '1',
  may_roll_back: true,
};

describe('a call that changes something', () => {
  afterEach(() => vi.restoreAllMocks());

  it('shows what it is meant to do to whoever approves it, with every character', async () => {
    const waiting = timelineEvent({
      event_type: 'tool_approval',
      status: 'streaming',
      content: '',
      metadata: { approval_id: 'a1', server_name: 'ops', tool_name: 'scale', action: plan },
    });
    serveSession({ status: 'in_progress', completed_at: null }, [waiting]);
    openSession();
    const shown = await screen.findByTestId('action-plan');
    expect(shown).toHaveTextContent('checkout has[U+200B] three ready replicas');
    expect(shown).toHaveTextContent('ops.replicas of=checkout: /ready is at least 3');
    expect(shown).toHaveTextContent('ops.scale to=1');
  });

  it('is rolled back with one click once it is over', async () => {
    let begun = 0;
    server.use(
      http.post(`${sessionPath}/actions/x1/rollback`, () => {
        begun += 1;
        return HttpResponse.json({ stage_id: 's9', action }, { status: 202 });
      }),
    );
    serveSession({ status: 'completed', actions: [action] }, []);
    openSession();
    expect(await screen.findByTestId('action-outcome')).toHaveTextContent('Did not work');
    expect(screen.getByTestId('action')).toHaveTextContent('found: 1');
    expect(screen.getByTestId('action-values')).toHaveTextContent('Before: 0 · After: 1');
    await userEvent.setup().click(screen.getByTestId('roll-back'));
    await waitFor(() => expect(begun).toBe(1));
    expect(screen.getByTestId('roll-back')).toBeDisabled();
  });

  it('is not rolled back before the call that does was on the screen to its end', async () => {
    let begun = 0;
    server.use(
      http.post(`${sessionPath}/actions/x1/rollback`, () => {
        begun += 1;
        return HttpResponse.json({ stage_id: 's9', action }, { status: 202 });
      }),
    );
    vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(4000);
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
    const sql = `select 1;${' '.repeat(2500)}drop table users`;
    const call = { server_name: 'ops', tool_name: 'run', arguments: { sql } };
    serveSession({ status: 'completed', actions: [{ ...action, rollback: { call } }] }, []);
    openSession();
    const shown = await screen.findByTestId('call-arguments');
    expect(shown.textContent).toBe('{\n  "sql": "select 1;\n      ·[×2500]drop table users"\n}');
    const button = screen.getByTestId('roll-back');
    expect(button).toHaveAccessibleDescription(/To roll it back, first scroll all arguments/);
    fireEvent.click(button);
    fireEvent.scroll(shown, { target: { scrollTop: 3600 } });
    await waitFor(() => expect(button).toHaveAttribute('aria-disabled', 'false'));
    expect(begun).toBe(0);
    fireEvent.click(button);
    await waitFor(() => expect(begun).toBe(1));
  });

  it('is shown as what it is where an API has something else', async () => {
    serveSession(
      {
        status: 'completed',
        actions: [
          {
            ...action,
            outcome: null,
            state: 'not_made',
            may_roll_back: false,
            before: null,
            observed: null,
          },
        ],
      },
      [],
    );
    openSession();
    expect(await screen.findByTestId('action-outcome')).toHaveTextContent('Not made');
    expect(screen.queryByTestId('roll-back')).not.toBeInTheDocument();
    expect(screen.queryByTestId('action-values')).not.toBeInTheDocument();
  });
});
