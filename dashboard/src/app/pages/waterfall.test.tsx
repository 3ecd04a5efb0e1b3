import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { run } from 'axe-core';
import { beforeEach, expect, it, vi } from 'vitest';
import { sessionDetail } from '../../test/builders';
import { FakeViewport } from '../../test/fakeViewport';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';
import { SESSION_ID, sessionPath } from '../../test/session';

const CALLS = 5000;

const calls = Array.from({ length: CALLS }, (_, index) => ({
  id: `call-${index + 1}`,
  interaction_type: 'tool_call',
  status: index === 1 ? 'failed' : 'completed',
  server_name: 'host',
  tool_name: 'df',
  call_number: index + 1,
  duration_ms: 500,
  error_message: index === 1 ? 'timeout' : null,
  created_at: new Date(Date.UTC(2026, 10, 22) + index * 1000).toISOString(),
}));

beforeEach(() => {
  FakeViewport.install();
  // jsdom lays nothing out.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(560);
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(900);
  const execution = { execution_id: 'exec-1', agent_name: 'HostAgent', mcp_interactions: calls };
  const stage = { stage_id: 'stage-1', stage_name: 'Diagnosis', executions: [execution] };
  server.use(
    answer(sessionPath, sessionDetail({ status: 'completed' })),
    answer(`${sessionPath}/trace`, { stages: [stage], session_interactions: [] }),
    answer(`${sessionPath}/timeline`, []),
    answer(`${sessionPath}/trace/mcp/call-2`, {
      ...calls[1],
      tool_arguments: { path: '/var' },
      tool_result: null,
    }),
  );
});

async function openWaterfall() {
  const user = userEvent.setup();
  const view = openPage(`/sessions/${SESSION_ID}/trace`);
  await user.click(await screen.findByRole('button', { name: 'Waterfall' }));
  const list = await screen.findByRole('listbox', { name: 'Calls over time' });
  return { user, list, ...view };
}

it('renders the rows in view of 5,000 calls', async () => {
  const { list, container } = await openWaterfall();
  const rows = within(list).getAllByRole('option');
  expect(rows.length).toBeLessThan(60);
  expect(rows[0]).toHaveTextContent('Diagnosis');
  expect(rows[1]).toHaveAttribute('aria-setsize', String(CALLS + 1));
  expect(rows[2]).toHaveTextContent('call 2: host.df, failed');
  const { violations } = await run(container, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
});

it('is in the URL', async () => {
  const { router, unmount } = await openWaterfall();
  expect(router.state.location.search).toBe('?view=waterfall');
  unmount();
  openPage(`/sessions/${SESSION_ID}/trace?view=waterfall`);
  expect(await screen.findByRole('listbox', { name: 'Calls over time' })).toBeInTheDocument();
});

it('is operated by keyboard', async () => {
  const { user, list } = await openWaterfall();
  const selected = () => within(list).getByRole('option', { selected: true });
  list.focus();
  expect(list).toHaveAttribute('aria-activedescendant', selected().id);
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(selected()).toHaveTextContent('call 2: host.df');
  await user.keyboard('{Enter}');
  const panel = within(await screen.findByTestId('waterfall-call'));
  // Highlighting may have divided it into elements.
  await waitFor(() => expect(panel.getByTestId('mcp-detail')).toHaveTextContent('"path": "/var"'));
  await user.keyboard('{Home}');
  expect(selected()).toHaveTextContent('Diagnosis');
});
