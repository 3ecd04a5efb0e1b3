import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openSession, serveSession } from '../../test/session';

it('lists what depends on what near the alert', async () => {
  serveSession({
    dependencies: [
      { from: 'checkout', relation: 'calls', to: 'payments', team: 'shop' },
      { from: 'Ingress/web', relation: 'routes_to', to: 'Service/checkout', team: null },
    ],
  });
  openSession();
  const list = within(await screen.findByTestId('dependencies')).getByRole('list');
  const lines = within(list)
    .getAllByRole('listitem')
    .map((line) => line.textContent);
  expect(lines).toEqual([
    'checkout calls payments, team shop',
    'Ingress/web routes to Service/checkout',
  ]);
});
