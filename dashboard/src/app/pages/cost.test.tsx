import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { openSession, serveSession } from '../../test/session';

describe('the cost of a session', () => {
  it.each([
    [[['own', 'configured', null]], 'Cost$0.09 (configured prices)'],
    [[['google', 'price_list', '2026-11-20']], 'Cost$0.09 (price list of 2026-11-20)'],
    [
      [
        ['google', 'price_list', '2026-11-20'],
        ['own', 'none', null],
      ],
      'Cost$0.09 (google: price list of 2026-11-20, own: no price)',
    ],
    [[], 'Cost$0.09'],
  ])('says where the prices of its cost come from: %j', async (listed, shown) => {
    const prices = listed.map(([provider, source, list_day]) => ({ provider, source, list_day }));
    serveSession({ prices });
    openSession();
    expect(await screen.findByTestId('session-details')).toHaveTextContent(shown);
  });

  it('shows what is used of a budget in money', async () => {
    const part = { limit: 0, used: 0 };
    const cost = { limit: 500_000, used: 510_000 };
    serveSession({
      budget: { llm_calls: part, tokens: part, tool_calls: part, cost_micro_usd: cost },
    });
    openSession();
    const panel = await screen.findByTestId('budget');
    expect(panel).toHaveTextContent('Cost$0.51 of $0.50, limit reached');
    expect(screen.getByRole('meter', { name: 'Cost' })).toHaveAttribute('data-tone', 'error');
  });

  it.each([
    [90_000, 1, 'Cost$0.09, partly priced: 1 call without a price'],
    [90_000, 3, 'Cost$0.09, partly priced: 3 calls without a price'],
    [null, 3, 'Costnot priced'],
  ])('says how much of it is priced: %j without %j calls', async (cost, unpriced, shown) => {
    serveSession({ cost_micro_usd: cost, unpriced_llm_calls: unpriced, prices: [] });
    openSession();
    expect(await screen.findByTestId('session-details')).toHaveTextContent(shown);
  });

  it('says that there is no price where there is no cost', async () => {
    serveSession({ cost_micro_usd: null, prices: [{ provider: 'own', source: 'none' }] });
    openSession();
    expect(await screen.findByTestId('session-details')).toHaveTextContent('Cost– (no price)');
  });
});
