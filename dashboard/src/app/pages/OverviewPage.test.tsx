import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';

const numbers = {
  from: '2026-11-24T10:00:00Z',
  to: '2026-11-25T10:00:00Z',
  bucket_seconds: 3600,
  buckets: [
    {
      start: '2026-11-24T12:00:00Z',
      open: 1,
      completed: 7,
      failed: 2,
      timed_out: 0,
      cancelled: 0,
      degraded: 3,
      total_tokens: 12_000,
      cost_micro_usd: 340_000,
    },
  ],
  duration_p50_ms: 60_000,
  duration_p95_ms: 180_000,
  tools: [{ server: 'kubernetes', tool: 'pods_log', calls: 20, failed: 4 }],
  alerts: [{ fingerprint: 'abc', title: 'Disk full', sessions: 5 }],
  costs: [
    {
      dimension: 'model',
      name: 'large',
      sessions: 4,
      total_tokens: 9_000,
      cost_micro_usd: 300_000,
      unpriced_calls: 2,
    },
    {
      dimension: 'model',
      name: 'local',
      sessions: 3,
      total_tokens: 3_000,
      cost_micro_usd: null,
      unpriced_calls: 6,
    },
    {
      dimension: 'chain',
      name: 'host',
      sessions: 2,
      total_tokens: 2_000,
      cost_micro_usd: 40_000,
      unpriced_calls: 0,
    },
    {
      dimension: 'chain',
      name: 'kubernetes',
      sessions: 5,
      total_tokens: 10_000,
      cost_micro_usd: 300_000,
      unpriced_calls: 8,
    },
  ],
  pending: 1,
  running: 2,
};

describe('the overview page', () => {
  it('shows numbers that lead to their lists', async () => {
    server.use(answer('/api/v1/overview', numbers));
    openPage('/overview');
    const figures = await screen.findByTestId('overview-figures');
    expect(within(figures).getByRole('link', { name: '10 sessions' })).toHaveAttribute(
      'href',
      '/?from=2026-11-24T10%3A00%3A00.000Z&to=2026-11-25T09%3A59%3A59.999Z&open=true',
    );
    const costs = within(figures).getByRole('link', { name: '$0.34 cost' });
    expect(costs.getAttribute('href')).toContain('from=2026-11-24');
    const degraded = within(figures).getByRole('link', { name: '3 degraded' });
    expect(degraded.getAttribute('href')).toContain('degraded=true');
    const slowest = within(figures).getByRole('link', { name: '1 m 00 s median duration' });
    expect(slowest.getAttribute('href')).toContain('sort=duration');
    expect(slowest.getAttribute('href')).not.toContain('open=true');
    expect(screen.getByRole('link', { name: 'Disk full' })).toHaveAttribute(
      'href',
      '/?fingerprint=abc',
    );
    const sessions = screen.getByRole('link', { name: '5 sessions of Disk full' });
    expect(sessions.getAttribute('href')).toContain('fingerprint=abc');
    const calls = screen.getByRole('link', { name: '4 failed calls of kubernetes.pods_log' });
    expect(calls.getAttribute('href')).toContain('failed_tool=pods_log');
    expect(calls.getAttribute('href')).toContain('from=2026-11-24');
    const share = screen.getByRole('link', {
      name: '20 % of the calls of kubernetes.pods_log failed',
    });
    expect(share.getAttribute('href')).toBe(calls.getAttribute('href'));
  });

  it('has the numbers of each chart as a sentence and as a table with links', async () => {
    server.use(answer('/api/v1/overview', numbers));
    openPage('/overview');
    const chart = await screen.findByTestId('outcome-chart');
    expect(chart).toHaveTextContent('10 sessions: 7 completed, 2 failed, 1 in progress.');
    await userEvent.click(within(chart).getByText('Show as a table'));
    const failed = within(chart).getByRole('link', { name: /^2 Failed, from / });
    expect(failed).toHaveAttribute(
      'href',
      '/?from=2026-11-24T12%3A00%3A00.000Z&to=2026-11-24T12%3A59%3A59.999Z&status=failed',
    );
    const tokens = screen.getByTestId('token-chart');
    expect(tokens).toHaveTextContent('12k in total.');
    expect(screen.getByTestId('cost-chart')).toHaveTextContent('$0.34 in total.');
  });

  it('sums costs up by what they were for, and says which are not priced', async () => {
    server.use(answer('/api/v1/overview', numbers));
    openPage('/overview');
    const table = await screen.findByTestId('overview-cost-model');
    const cells = within(table)
      .getAllByRole('row')
      .map((row) => row.textContent);
    expect(cells[1]).toBe('large49,000$0.30partly: 2 calls without a price');
    expect(cells[2]).toBe('local33,000–not priced');
    const chains = within(screen.getByTestId('overview-cost-chain')).getAllByRole('row');
    expect(chains[1]).toHaveTextContent('host22,000$0.04complete');
    expect(screen.getByTestId('overview-figures')).toHaveTextContent('Cost, partly priced$0.34');
    expect(screen.queryByTestId('overview-cost-agent')).not.toBeInTheDocument();
  });

  it('draws no chart of what was not used', async () => {
    const [bucket] = numbers.buckets;
    const unused = { ...bucket, total_tokens: 0, cost_micro_usd: null };
    server.use(answer('/api/v1/overview', { ...numbers, buckets: [unused] }));
    openPage('/overview');
    expect(await screen.findByText('No tokens were used.')).toBeInTheDocument();
    expect(screen.queryByTestId('cost-chart')).not.toBeInTheDocument();
  });

  it('has scores by chain, agent and provider, and says how far reviews agree', async () => {
    const group = { dimension: 'all', name: '', sessions: 40, mean: 72, low: 4, days: [] };
    const chain = { ...group, dimension: 'chain', name: 'host', mean: 64 };
    const agreement = { sessions: 52, agreeing: 38, kappa: 0.414, needed: 30 };
    server.use(
      answer('/api/v1/overview', numbers),
      answer('/api/v1/overview/scores', { groups: [group, chain], agreement }),
    );
    openPage('/overview');
    const panel = within(await screen.findByTestId('overview-scores'));
    expect(panel.getByTestId('score-figures')).toHaveTextContent(
      'Mean 72 of 40 scored sessions, 4 below 60',
    );
    expect(panel.getByTestId('score-agreement')).toHaveTextContent(
      '38 of 52 reviewed sessions agree with the review, kappa 0.41',
    );
    await userEvent.click(panel.getByText('Scores by chain'));
    expect(panel.getByRole('row', { name: /host/ })).toHaveTextContent('host40644');
  });

  it('has what changed on an axis of time', async () => {
    const change = { id: 'a', text: 'checkout 1.8.2 was deployed', occurred_at: numbers.from };
    server.use(
      answer('/api/v1/overview', numbers),
      answer('/api/v1/changes', { changes: [change] }),
    );
    openPage('/overview');
    const panel = within(await screen.findByTestId('overview-changes'));
    expect(panel.getByLabelText('1 change in this period')).toBeInTheDocument();
    expect(panel.getByText('checkout 1.8.2 was deployed')).toBeInTheDocument();
  });

  it('says that a time has no sessions', async () => {
    server.use(answer('/api/v1/overview', { ...numbers, buckets: [], tools: [], alerts: [] }));
    openPage('/overview');
    expect(await screen.findByTestId('overview-empty')).toBeInTheDocument();
    // They were submitted before.
    expect(screen.getByRole('link', { name: '2 running sessions' })).toHaveAttribute('href', '/');
  });

  it('says what failed', async () => {
    server.use(answer('/api/v1/overview', { title: 'Unavailable', status: 503 }, 503));
    openPage('/overview');
    expect(await screen.findByText('Could not load the overview')).toBeInTheDocument();
  });
});
