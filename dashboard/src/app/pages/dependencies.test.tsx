import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
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
  await userEvent.click(screen.getByRole('button', { name: 'Picture' }));
  const picture = await screen.findByRole('region', { name: 'Picture of the dependencies' });
  const names = within(picture).getAllByText(/^[A-Z]?[a-z]+/, { selector: 'text' });
  expect(names.map((name) => name.textContent)).toEqual([
    'checkout',
    'Ingress/web',
    'payments',
    'Service/checkout',
  ]);
  expect(picture.querySelectorAll('path[marker-end]')).toHaveLength(2);
});
