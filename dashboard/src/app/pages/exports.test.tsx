import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { timelineEvent } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';
import { openSession, serveSession, SESSION_ID, sessionPath } from '../../test/session';
import { verdict } from '../../test/verdict';

const ended = {
  status: 'completed',
  verdict: verdict({ alternatives: [] }),
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

const failedCall = { server_name: 'host', tool_name: 'df', is_error: true };

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

/** Chooses an export and returns the text of its file. */
async function exportAs(files: readonly Blob[], format: string): Promise<string> {
  const user = userEvent.setup();
  const button = await screen.findByRole('button', { name: 'Export' });
  await waitFor(() => expect(button).toBeEnabled());
  await user.click(button);
  await user.click(await screen.findByRole('menuitem', { name: format }));
  await waitFor(() => expect(files).toHaveLength(1));
  return textOf(files[0]);
}

const hostile = {
  title: '<b>Disk</b> | *full* \u202Egnp',
  severity: 'critical',
  service: 'payments',
  namespace: 'shop',
  cluster: 'eu_1',
  links: [{ title: 'Grafana', url: 'https://grafana.example/d/1' }],
};

describe('a session', () => {
  it('has what the alert is about in its export, and its title is no markup', async () => {
    const files = recordFiles();
    serveSession({ ...ended, ...hostile, final_analysis: '# Cause\n\n```\nopen' }, []);
    openSession();
    const markdown = await exportAs(files, 'Markdown');
    expect(markdown).toContain(String.raw`# \<b\>Disk\</b\> \| \*full\* [U+202E]gnp: Completed`);
    for (const fact of ['Severity: critical', 'Service: payments', 'Cluster: eu_1']) {
      expect(markdown).toContain(`- ${fact}\n`);
    }
    expect(markdown).toContain('- Links: [Grafana](<https://grafana.example/d/1>)');
    expect(markdown).toContain(
      '## Final analysis\n\n### Cause\n\n```\nopen\n```\n\n## Not examined',
    );
    expect(markdown).toContain('## Evidence\n\nNo tool was called.');
  });

  it('has a postmortem, to copy and to save, or says why there is none', async () => {
    const files = recordFiles();
    const draft = '# Postmortem: Disk full\n\n- Who was affected: **TO DO**\n';
    server.use(answer(`${sessionPath}/postmortem`, { detail: 'PostgreSQL is away' }, 503));
    serveSession(ended, []);
    openSession();
    const user = userEvent.setup();
    const button = await screen.findByRole('button', { name: 'Export' });
    await waitFor(() => expect(button).toBeEnabled());
    await user.click(button);
    await user.click(await screen.findByRole('menuitem', { name: 'Postmortem' }));
    const dialog = within(await screen.findByTestId('postmortem'));
    expect(await dialog.findByText('Could not load postmortem')).toBeInTheDocument();
    server.use(http.get(`${sessionPath}/postmortem`, () => HttpResponse.text(draft)));
    await user.click(dialog.getByRole('button', { name: 'Retry' }));
    await user.click(await dialog.findByRole('button', { name: 'Copy full text' }));
    expect(await navigator.clipboard.readText()).toBe(draft);
    await user.click(dialog.getByRole('button', { name: 'Download' }));
    expect(await textOf(files[0])).toBe(draft);
    await user.click(dialog.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByTestId('postmortem')).toBeNull());
  });

  it('has prose of a model on request, which people edit', async () => {
    const prose = {
      status: 'completed',
      sentences: [{ section: 'summary', text: 'The disk was full.', facts: ['F1'] }],
    };
    let stored: object | null = null;
    const sent: unknown[] = [];
    const path = `${sessionPath}/postmortem`;
    signInAs('responder', ['read', 'review_session']);
    server.use(
      http.get(path, ({ request }) =>
        request.url.endsWith('json')
          ? HttpResponse.json({ prose: stored })
          : HttpResponse.text(stored === null ? 'By rules.' : 'By a model.'),
      ),
      http.post(`${path}/prose`, async ({ request }) => {
        sent.push(await request.json());
        stored = prose;
        return new HttpResponse(null, { status: 202 });
      }),
      http.put(`${path}/prose`, async ({ request }) => {
        sent.push(await request.json());
        stored = { ...prose, edited: { summary: 'The log was full.', by: 'rosa' } };
        return new HttpResponse(null, { status: 204 });
      }),
    );
    serveSession(ended, []);
    openSession();
    const user = userEvent.setup();
    const button = await screen.findByRole('button', { name: 'Export' });
    await waitFor(() => expect(button).toBeEnabled());
    await user.click(button);
    await user.click(await screen.findByRole('menuitem', { name: 'Postmortem' }));
    const dialog = within(await screen.findByTestId('postmortem'));
    expect(await dialog.findByText('By rules.')).toBeInTheDocument();
    await user.click(await dialog.findByRole('button', { name: 'Write with a model' }));
    expect(await dialog.findByText('By a model.')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Edit text' }));
    const editor = within(await screen.findByTestId('prose-editor'));
    const summary = editor.getByLabelText('Summary');
    expect(summary).toHaveValue('The disk was full.');
    await user.clear(summary);
    await user.type(summary, 'The log was full.');
    await user.click(editor.getByRole('button', { name: 'Save' }));
    expect(await dialog.findByRole('button', { name: 'Replace edited text' })).toBeInTheDocument();
    const texts = { summary: 'The log was full.', what_happened: '', lessons: '' };
    expect(sent).toEqual([{ replace: false }, texts]);
  });

  it('is exported as Markdown and as JSON', async () => {
    const files = recordFiles();
    serveSession(ended, [call(1), call(2)]);
    openSession();
    const user = userEvent.setup();
    const button = await screen.findByRole('button', { name: 'Export' });
    await waitFor(() => expect(button).toBeEnabled());
    await user.click(button);
    await user.click(await screen.findByRole('menuitem', { name: 'Markdown' }));
    await waitFor(() => expect(files).toHaveLength(1));
    const markdown = await textOf(files[0]);
    expect(markdown).toContain('# HostDiskPressure: Completed');
    expect(markdown).toContain('- Created: ');
    expect(markdown).toContain('## Verdict\n\n**The database refuses connections**');
    expect(markdown).toContain('### call 1: host.df');
    expect(markdown).toContain('````\n```\n98 % of /var\n```\n````');
    expect(markdown).not.toContain('call 2');
    await user.click(screen.getByRole('button', { name: 'Export' }));
    await user.click(await screen.findByRole('menuitem', { name: 'JSON' }));
    await waitFor(() => expect(files).toHaveLength(2));
    const json: unknown = JSON.parse(await textOf(files[1]));
    expect(json).toMatchObject({
      session: { id: SESSION_ID },
      timeline: [{ id: 'call-event-1' }, { id: 'call-event-2' }],
    });
  });

  it('has its alert as a command without a token', async () => {
    serveSession({
      ...ended,
      alert_data: "it's full",
      runbook_url: 'https://example.org/disk.md',
      slack_message_fingerprint: 'abc',
      mcp_selection: { servers: [{ name: 'host', tools: null }], native_tools: {} },
    });
    openSession();
    const button = await screen.findByRole('button', { name: 'Copy as curl: the alert' });
    await userEvent.setup().click(button);
    const command = await navigator.clipboard.readText();
    expect(command).toContain("/api/v1/alerts'");
    expect(command).toContain('${TARSY_TOKEN:+-H"Authorization: Bearer $TARSY_TOKEN"}');
    expect(command).toContain(String.raw`"data": "it'\''s full"`);
    expect(command).toContain('"slack_message_fingerprint": "abc"');
    expect(command).toContain('"runbook": "https://example.org/disk.md"');
    expect(command).toContain('"name": "host"');
  });

  it('has a report with the cited calls, whole, to print', async () => {
    const print = vi.spyOn(window, 'print').mockImplementation(() => {});
    serveSession(ended, [call(1), call(2)]);
    openPage(`/sessions/${SESSION_ID}/report`);
    const report = within(await screen.findByTestId('report'));
    expect(report.getByLabelText('Result of call 1')).toHaveTextContent('98 % of /var');
    expect(report.queryByLabelText('Result of call 2')).not.toBeInTheDocument();
    expect(report.getByLabelText('Alert data')).toHaveTextContent('"disk": "full"');
    await report.findByRole('heading', {
      name: 'Most likely cause: The database refuses connections',
    });
    // One in the evidence of the verdict, one in the analysis.
    await waitFor(() => expect(report.getAllByTestId('citation')).toHaveLength(2));
    for (const citation of report.getAllByTestId('citation')) {
      expect(citation).toHaveAttribute('href', '#call-1');
    }
    for (const text of report.getAllByText('AI-generated. Verify before you act.')) {
      expect(text).toBeVisible();
    }
    await userEvent.setup().click(screen.getByRole('button', { name: 'Print' }));
    expect(print).toHaveBeenCalledOnce();
  });

  it('has in its report what the alert is about, what is not verified, and what was not examined', async () => {
    serveSession(
      { ...ended, ...hostile, degraded: true, degraded_reasons: ['unverified_claims'] },
      [
        call(1, { metadata: { ...failedCall, call_number: 1 } }),
        timelineEvent({ id: 'analysis', sequence_number: 3, content: ended.final_analysis }),
      ],
    );
    const claim = { kind: 'name', text: 'Logs', start: 0, end: 4, verdict: 'contradicted' };
    const check = {
      id: 'c',
      text: 'final_analysis',
      timeline_event_id: 'analysis',
      claims: 1,
      items: [{ ...claim, call: 1, shown: 'a core file' }],
    };
    server.use(answer(`${sessionPath}/claims`, { checks: [check] }));
    openPage(`/sessions/${SESSION_ID}/report`);
    const report = await screen.findByTestId('report');
    for (const part of [
      'Severitycritical',
      'Servicepayments',
      'Grafana: https://grafana.example/d/1',
      'Logs: contradicted, call 1; the result shows a core file',
      'call 1: host.df failed',
    ]) {
      expect(report).toHaveTextContent(part);
    }
    await within(report).findByTestId('claim');
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('[U+202E]gnp');
    await waitFor(() => expect(document.title).toContain('[U+202E]gnp'));
    const copy = within(report).getByRole('button', { name: 'Copy: Alert data' });
    await userEvent.setup().click(copy);
    expect(await navigator.clipboard.readText()).toContain('"disk": "full"');
  });

  it('has copy buttons on code, arguments, results and steps', async () => {
    serveSession(ended, [call(1)]);
    openSession();
    const user = userEvent.setup();
    const analysis = within(await screen.findByTestId('final-analysis'));
    await user.click(await analysis.findByRole('button', { name: 'Final analysis' }));
    const whole = screen.getByRole('button', { name: 'Copy final analysis with its link' });
    await user.click(whole);
    expect(await navigator.clipboard.readText()).toMatch(
      /^## .+\n\nhttp.+\/sessions\/[\w-]+#final-analysis\n\n/,
    );
    await user.click(await analysis.findByRole('button', { name: 'Copy code' }));
    expect(await navigator.clipboard.readText()).toBe('du -sh /var');
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
