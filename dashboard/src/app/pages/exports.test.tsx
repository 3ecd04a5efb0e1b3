import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { timelineEvent } from '../../test/builders';
import { openPage } from '../../test/render';
import { openSession, serveSession, SESSION_ID } from '../../test/session';

const ended = {
  status: 'completed',
  alert_data: '{"disk":"full"}',
  final_analysis: 'Logs fill the disk [call 1].\n\n```sh\ndu -sh /var\n```',
};

function call(number: number, changes: object = {}) {
  return timelineEvent({
    id: `call-event-${number}`,
    sequence_number: number,
    event_type: 'llm_tool_call',
    content: '```\n98 % of /var\n```',
    metadata: {
      server_name: 'host',
      tool_name: 'df',
      call_number: number,
      arguments: { path: '/var' },
    },
    ...changes,
  });
}

/** Records the files that the page saves. */
function recordFiles() {
  const files: Blob[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
  URL.createObjectURL = (file) => `blob:${files.push(file as Blob)}`;
  URL.revokeObjectURL = () => {};
  return files;
}

async function textOf(file: Blob | undefined): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.readAsText(file ?? new Blob());
  });
}

afterEach(() => window.history.replaceState(null, '', '/'));

describe('a session', () => {
  it('is exported as Markdown and as JSON', async () => {
    const files = recordFiles();
    serveSession(ended, [call(1), call(2)]);
    openSession();
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Export' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Markdown' }));
    const markdown = await textOf(files[0]);
    expect(markdown).toContain('# HostDiskPressure: Completed');
    expect(markdown).toContain('- Created: ');
    expect(markdown).toContain('### call 1: host.df');
    expect(markdown).toContain('````\n```\n98 % of /var\n```\n````');
    expect(markdown).not.toContain('call 2');
    await user.click(screen.getByRole('button', { name: 'Export' }));
    await user.click(await screen.findByRole('menuitem', { name: 'JSON' }));
    const json: unknown = JSON.parse(await textOf(files[1]));
    expect(json).toMatchObject({
      session: { id: SESSION_ID },
      timeline: [{ id: 'call-event-1' }, { id: 'call-event-2' }],
    });
  });

  it('has a report with the cited calls, whole, to print', async () => {
    const print = vi.spyOn(window, 'print').mockImplementation(() => {});
    serveSession(ended, [call(1), call(2)]);
    openPage(`/sessions/${SESSION_ID}/report`);
    const report = within(await screen.findByTestId('report'));
    expect(report.getByLabelText('Result of call 1')).toHaveTextContent('98 % of /var');
    expect(report.queryByLabelText('Result of call 2')).not.toBeInTheDocument();
    expect(report.getByLabelText('Alert data')).toHaveTextContent('"disk": "full"');
    expect(await report.findByTestId('citation')).toHaveAttribute('href', '#call-1');
    await userEvent.setup().click(screen.getByRole('button', { name: 'Print' }));
    expect(print).toHaveBeenCalledOnce();
  });

  it('has copy buttons on code, arguments, results and steps', async () => {
    serveSession(ended, [call(1)]);
    openSession();
    const user = userEvent.setup();
    const analysis = within(await screen.findByTestId('final-analysis'));
    await user.click(await analysis.findByRole('button', { name: 'Copy code' }));
    expect(await navigator.clipboard.readText()).toBe('du -sh /var\n');
    await user.click(screen.getByRole('button', { name: 'Copy: Result of host.df' }));
    expect(await navigator.clipboard.readText()).toBe('```\n98 % of /var\n```');
    await user.click(screen.getByRole('button', { name: /^Arguments/ }));
    await user.click(screen.getByRole('button', { name: 'Copy: Arguments of host.df' }));
    expect(await navigator.clipboard.readText()).toContain('"path": "/var"');
    await user.click(screen.getByRole('button', { name: 'Copy link to this step' }));
    expect(await navigator.clipboard.readText()).toMatch(/#step-call-event-1$/);
  });

  it('opens at the step of a link', async () => {
    window.history.replaceState(null, '', '#step-two');
    serveSession(ended, [timelineEvent({ id: 'one' }), timelineEvent({ id: 'two', content: 'B' })]);
    openSession();
    const steps = await screen.findAllByTestId('timeline-item');
    await waitFor(() => expect(steps[1]).toHaveFocus());
  });
});
