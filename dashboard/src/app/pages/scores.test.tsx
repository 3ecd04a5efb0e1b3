import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { run } from 'axe-core';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { sessionItem, sessionPage } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server, signInAs } from '../../test/server';
import { openSession, serveSession, sessionPath } from '../../test/session';

const score = {
  id: 'b',
  number: 2,
  status: 'completed',
  score: 60,
  model_score: 71,
  analysis: 'It looked at logs only.',
  failure_tags: ['incomplete_evidence'],
  checks: {
    score: 60,
    claims: 12,
    unbacked_claims: 12,
    calls: 4,
    failed_calls: 1,
    repeated_calls: 2,
    budget_used_up: false,
    looked: true,
  },
  missing_tools: [{ name: 'traces', why: 'They show the slow hop.' }],
  requested_by: 'rosa',
  provider: 'judge',
  model: 'judge-1',
  prompt_version: '0123456789abcdef',
  llm_calls: 2,
  total_tokens: 12_000,
  cost_micro_usd: 40_000,
  created_at: '2026-11-22T02:00:00Z',
};
const failed = { ...score, id: 'a', number: 1, status: 'failed', score: null, failure: 'invalid' };

async function openDialog() {
  openSession();
  await userEvent.click(await screen.findByTestId('score'));
  return within(await screen.findByTestId('score-dialog'));
}

describe('the score of a session', () => {
  it('is shown with what it rests on, and with those before it', async () => {
    signInAs('viewer', ['read']);
    serveSession({ status: 'completed', score: 60 });
    server.use(answer(`${sessionPath}/score`, { score, history: [failed] }));
    const dialog = await openDialog();
    expect(screen.getByTestId('score')).toHaveTextContent('Score 60…');
    expect(await dialog.findByTestId('score-badge')).toHaveTextContent('60');
    expect(dialog.getByText('The lower of model 71 and checks 60')).toBeInTheDocument();
    expect(dialog.getByTestId('score-tag')).toHaveTextContent('Incomplete evidence');
    expect(dialog.getByTestId('score-checks')).toHaveTextContent(
      'Checks 60: 12 of 12 statements not backed, 1 of 4 calls failed, 2 repeated',
    );
    expect(dialog.getByRole('list', { name: 'Missing tools' })).toHaveTextContent('traces');
    await userEvent.click(dialog.getByText('Score 1: none'));
    const [, earlier] = dialog.getAllByTestId('score-details');
    expect(earlier).toHaveTextContent('No score. The model answered twice without a valid number.');
    expect(screen.queryByTestId('score-again')).not.toBeInTheDocument();
    const { violations } = await run(document.body, {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });

  it('is asked for, and is not asked for twice', async () => {
    signInAs('responder', ['read', 'review_session']);
    serveSession({ status: 'completed' });
    let asked = 0;
    server.use(
      answer(`${sessionPath}/score`, { score: null, history: [] }),
      http.post(`${sessionPath}/score`, () => {
        asked += 1;
        return HttpResponse.json({ score_id: 'c' }, { status: 202 });
      }),
    );
    const dialog = await openDialog();
    expect(await dialog.findByText(/^Not scored/)).toBeInTheDocument();
    const pending = { ...score, status: 'pending', score: null, model_score: null };
    server.use(answer(`${sessionPath}/score`, { score: pending, history: [] }));
    await userEvent.click(screen.getByRole('button', { name: 'Score this session' }));
    expect(await dialog.findByText('Being scored.')).toBeInTheDocument();
    expect(screen.getByTestId('score-again')).toBeDisabled();
    expect(asked).toBe(1);
  });

  it('is a column and a filter of the list', async () => {
    const queries: string[] = [];
    server.use(
      http.get('/api/v1/sessions', ({ request }) => {
        queries.push(new URL(request.url).search);
        return HttpResponse.json(sessionPage([sessionItem({ status: 'completed', score: 82 })]));
      }),
    );
    openPage('/?score=80&sort=score');
    expect(await screen.findByTestId('score-badge')).toHaveTextContent('82');
    expect(screen.getByTestId('chip-scoreMin')).toHaveTextContent('Score from: 80');
    await waitFor(() => expect(queries.at(-1)).toContain('score_min=80'));
    expect(queries.at(-1)).toContain('sort_by=score');
  });
});
