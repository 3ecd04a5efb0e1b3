import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { run } from 'axe-core';
import { afterEach, describe, expect, it } from 'vitest';
import { verdictToMarkdown } from '../../lib/session/verdict';
import { timelineEvent } from '../../test/builders';
import { openPage } from '../../test/render';
import { openSession, serveSession, SESSION_ID } from '../../test/session';
import { chart, verdict } from '../../test/verdict';

function call(number: number) {
  return timelineEvent({
    id: `call-event-${number}`,
    sequence_number: number,
    event_type: 'llm_tool_call',
    content: `result ${number}`,
    metadata: { server_name: 'kubernetes', tool_name: 'pods_log', call_number: number },
  });
}

function serve(changes: object = {}) {
  const ended = { status: 'completed', final_analysis: 'It refuses [call 3].' };
  serveSession({ ...ended, verdict: verdict(), ...changes }, [call(1), call(2), call(3)]);
}

const findPanel = async () => within(await screen.findByTestId('verdict'));

afterEach(() => window.history.replaceState(null, '', '/'));

describe('the verdict', () => {
  it('names cause, object, beginning, confidence and who decided', async () => {
    serve();
    const { container } = openSession();
    const panel = await findPanel();
    const cause = await panel.findByRole('heading', { name: 'The database refuses connections' });
    const analysis = await screen.findByRole('heading', { name: 'Final analysis' });
    expect(cause.compareDocumentPosition(analysis)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    const facts = panel.getByTestId('verdict-facts');
    for (const words of [
      'Pod payments-7d9 in namespace shop',
      'Credentials',
      'Since ',
      'ago (',
      'High confidence',
      'AI-generated, verify',
    ]) {
      expect(facts).toHaveTextContent(words);
    }
    await userEvent.setup().click(await panel.findByRole('button', { name: 'Alternatives (1)' }));
    expect(panel.getByText('No eviction is in the events', { exact: false })).toBeVisible();
    expect(
      panel.getByText('Would be explained by Node/worker-3: cordoned', { exact: false }),
    ).toBeVisible();
    const gaps = within(screen.getByTestId('not-examined'));
    expect(gaps.getByText('The logs of the database: the tool failed')).toBeVisible();
    const steps = panel.getByText('Restart the deployment.').closest('ol');
    expect(within(steps ?? document.body).getAllByRole('listitem')[0]).toHaveTextContent(
      'Compare the secret',
    );
    await screen.findAllByTestId('timeline-item');
    const { violations } = await run(container, {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });

  it('quotes its evidence and links to the calls', async () => {
    serve();
    openSession();
    const panel = await findPanel();
    await userEvent.setup().click(await panel.findByRole('button', { name: 'Evidence (1)' }));
    const [quotation] = panel.getAllByTestId('verdict-evidence');
    expect(quotation).toHaveTextContent('FATAL: password authentication failed');
    expect(quotation).toHaveTextContent('call 1, line 17');
    await screen.findAllByTestId('timeline-item');
    await userEvent.setup().click(
      within(quotation ?? document.body).getByRole('link', {
        name: 'call 1: kubernetes.pods_log',
      }),
    );
    expect(screen.getByRole('group', { name: /Tool call 1:/ })).toHaveFocus();
  });

  it('quotes the lines of a call together', async () => {
    const [first] = verdict().evidence;
    const evidence = [
      first,
      { call: 3, line: 2, text: 'exit code 1' },
      { ...first, line: 19, text: 'FATAL: role "pay" does not exist' },
    ];
    serve({ verdict: verdict({ evidence }) });
    openSession();
    const panel = await findPanel();
    await userEvent.setup().click(await panel.findByRole('button', { name: 'Evidence (3)' }));
    const quotations = panel.getAllByTestId('verdict-evidence');
    expect(quotations).toHaveLength(2);
    expect(quotations[0]).toHaveTextContent(
      'FATAL: password authentication failed FATAL: role "pay" does not existcall 1, lines 17, 19',
    );
    expect(quotations[1]).toHaveTextContent('exit code 1call 3, line 2');
  });

  it('of rules needs no warning about a model', async () => {
    serve({
      verdict: verdict({ source: 'rules', confidence: 'medium', object: null, since: null }),
    });
    openSession();
    const facts = (await findPanel()).getByTestId('verdict-facts');
    expect(facts).toHaveTextContent('By rules');
    expect(facts).toHaveTextContent('Medium confidence');
    expect(facts).not.toHaveTextContent('AI-generated');
    expect(screen.queryByTestId('verdict-object')).not.toBeInTheDocument();
  });

  it.each([
    ['no_fault_found', 'not_confirmed', 'No fault found', 'Alert not confirmed'],
    ['no_fault_found', 'confirmed', 'Cause not found', 'Alert confirmed'],
    ['not_examinable', 'not_visible', 'Cannot be examined', 'Alert cannot be seen from here'],
  ])(
    'with the outcome %s and the alert %s states no cause',
    async (outcome, alert, title, words) => {
      const answer = 'Not confirmed: load is 0.1 on 2 cores';
      const none = { outcome, alert_statement: alert, answer, cause: '', confidence: 'low' };
      serve({ verdict: verdict({ ...none, category: 'other', source: 'rules' }) });
      openSession();
      const panel = await findPanel();
      expect(await panel.findByRole('heading', { name: answer })).toBeVisible();
      expect(panel.getByText(title)).toBeVisible();
      expect(panel.queryByTestId('verdict-answer')).not.toBeInTheDocument();
      expect(panel.getByTestId('verdict-statement')).toHaveTextContent(words);
      expect(panel.queryByTestId('verdict-confidence')).not.toBeInTheDocument();
      expect(panel.queryByTestId('verdict-hint')).not.toBeInTheDocument();
      expect(panel.queryByText('Most likely cause')).not.toBeInTheDocument();
    },
  );

  it('draws what it rests on over time, and says it in words', async () => {
    serve({ verdict: verdict({ charts: [chart(), chart({ points: [] })] }) });
    openSession();
    const panel = await findPanel();
    expect(await panel.findByRole('heading', { name: 'Over time' })).toBeVisible();
    const [drawn, ...others] = await panel.findAllByTestId('verdict-chart');
    expect(others).toHaveLength(0);
    expect(drawn).toHaveTextContent(/cpu_percent of db-1: 12 % → 96 %, since .*call 3/);
    const change = {
      id: 'c1',
      kind: 'feature_flag',
      object: null,
      occurred_at: '2026-11-22T00:50:00Z',
      text: 'fast-pay\n on',
    };
    expect(verdictToMarkdown(verdict({ change }))).toContain(
      '- Explained by: `Feature flag`, 2026-11-22T00:50:00Z: fast-pay on',
    );
    expect(verdictToMarkdown(verdict({ charts: [chart()] }))).toContain(
      '### Over time\n\n- `cpu_percent` of db-1: 12 % → 96 % since 2026-11-22T00:02:00Z ▂▂██ ([call 3])',
    );
  });

  it('shows a cause of low confidence as a hint', async () => {
    serve({ verdict: verdict({ confidence: 'low' }) });
    openSession();
    const panel = await findPanel();
    expect(await panel.findByRole('heading', { name: 'Cause not found' })).toBeVisible();
    expect(panel.getByTestId('verdict-hint')).toHaveTextContent('The database refuses connections');
    expect(panel.getByText('Weakest hint, not a cause')).toBeVisible();
    const text = verdictToMarkdown(verdict({ confidence: 'low' }));
    expect(text).toContain('**Cause not found**');
    expect(text).toContain('### Weakest hint\n\n- The database refuses connections');
  });

  it('of rules says so below the findings, too', async () => {
    serve({ executive_summary: 'It refuses.', verdict: verdict({ source: 'rules' }) });
    openSession();
    await findPanel();
    const user = userEvent.setup();
    for (const name of ['Executive summary', 'Final analysis']) {
      await user.click(await screen.findByRole('button', { name }));
    }
    expect(screen.getAllByText('Written by rules. Verify before you act.')).toHaveLength(2);
    expect(screen.queryByText(/AI-generated/)).not.toBeInTheDocument();
  });

  it('of rules does not say again who wrote a report that says so', async () => {
    const analysis = 'Written by rules; no LLM was used.\n\nThe disk is full.';
    serve({ final_analysis: analysis, verdict: verdict({ source: 'rules' }) });
    openSession();
    await findPanel();
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Final analysis' }));
    expect(await screen.findByText('Verify before you act.')).toBeVisible();
    expect(screen.getAllByText(/Written by rules/)).toHaveLength(1);
  });

  it('stands for the prose, which opens on demand and from a link', async () => {
    serve({ executive_summary: 'It refuses, in short.' });
    openSession();
    await findPanel();
    const analysis = within(await screen.findByTestId('final-analysis'));
    expect(analysis.queryByText(/It refuses/)).not.toBeInTheDocument();
    await userEvent.setup().click(await analysis.findByRole('button', { name: 'Final analysis' }));
    expect(await analysis.findByText(/It refuses/)).toBeVisible();
  });

  it('has commands to copy', async () => {
    const command = 'kubectl -n shop rollout undo deployment/web';
    serve({ verdict: verdict({ next_steps: [`Roll back: \`${command}\`, then \`watch\`.`] }) });
    openSession();
    const panel = await findPanel();
    const copy = await panel.findAllByRole('button', { name: /^Copy command/ });
    expect(copy).toHaveLength(1);
    await userEvent.setup().click(copy[0] ?? document.body);
    expect(await navigator.clipboard.readText()).toBe(command);
  });

  it.each([
    [{ verdict: null, verdict_failure: 'invalid' }, /the model twice wrote one/],
    [
      {
        budget: {
          llm_calls: { limit: 0, used: 3 },
          tokens: { limit: 10, used: 2 },
          tool_calls: { limit: 6, used: 8 },
        },
      },
      /The budget of tool calls was used up \(8 of 6\)/,
    ],
  ])('says why a finding may be incomplete', async (changes, words) => {
    serve(changes);
    openSession();
    expect(await screen.findByTestId('thin-finding')).toHaveTextContent(words);
  });

  it('shows code spans as code', async () => {
    serve({
      verdict: verdict({ cause: 'It logs `no route`', next_steps: ['Run `ip r` [call 1]'] }),
    });
    openSession();
    const panel = await findPanel();
    const cause = await panel.findByRole('heading', { name: 'It logs no route' });
    expect(within(cause).getByText('no route').tagName).toBe('CODE');
    expect(panel.getByText('ip r').tagName).toBe('CODE');
  });

  it('is copied as Markdown', async () => {
    serve();
    openSession();
    const panel = await findPanel();
    const button = await panel.findByRole('button', { name: 'Copy finding with its link' });
    await userEvent.setup().click(button);
    const text = await navigator.clipboard.readText();
    expect(text).toMatch(/^## .+\n\nhttp.+\/sessions\/[\w-]+\n\n\*\*The database/);
    expect(text).toContain('**The database refuses connections**');
    expect(text).toContain('- `FATAL: password authentication failed` ([call 1, line 17])');
    expect(text).toContain('1. Compare the secret with the role.');
  });

  it('is part of the report, with its calls as evidence', async () => {
    serve();
    openPage(`/sessions/${SESSION_ID}/report`);
    const report = await screen.findByTestId('report');
    expect(report).toHaveTextContent('Most likely cause: The database refuses connections');
    for (const number of [1, 2, 3]) expect(report).toHaveTextContent(`result ${number}`);
  });

  it.each([undefined, null, { cause: 7 }])('that is %j is left out', async (none) => {
    serve({ verdict: none });
    openSession();
    expect(await screen.findByTestId('final-analysis')).toBeInTheDocument();
    await waitFor(() => expect(screen.getAllByTestId('timeline-item')).toHaveLength(3));
    expect(screen.queryByTestId('verdict')).not.toBeInTheDocument();
  });
});

it('a verdict in Markdown keeps code and lists apart from what it quotes', () => {
  const quoted = { call: 4, line: null, text: 'a `b`\n# c' };
  const text = verdictToMarkdown({ ...verdict(), evidence: [quoted], next_steps: [] });
  expect(text).toContain('- `` a `b` # c `` ([call 4])');
  expect(text).not.toContain('Next steps');
});
