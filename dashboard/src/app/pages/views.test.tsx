import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { openPage } from '../../test/render';

it('filters of the list are saved as a view, applied and deleted', async () => {
  const user = userEvent.setup();
  const { router } = openPage('/?status=failed&review=unreviewed');
  await user.click(await screen.findByRole('button', { name: 'Views' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Save these filters…' }));
  await user.type(await screen.findByLabelText('Name of the current filters'), 'To do{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  await user.click(screen.getByTestId('clear-filters'));
  await waitFor(() => expect(router.state.location.search).toBe(''));
  await user.click(screen.getByRole('button', { name: 'Views' }));
  await user.click(await screen.findByRole('menuitem', { name: 'To do' }));
  await waitFor(() =>
    expect(router.state.location.search).toBe('?status=failed&review=unreviewed'),
  );
  await user.click(screen.getByRole('button', { name: 'Views' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Save or delete views…' }));
  await user.click(await screen.findByRole('button', { name: 'Delete the view To do' }));
  await waitFor(() => expect(localStorage.getItem('tarsy-views')).toBe('[]'));
});

it('views that cannot be read are none', async () => {
  localStorage.setItem('tarsy-views', '{"a":1');
  const user = userEvent.setup();
  openPage('/');
  await user.click(await screen.findByRole('button', { name: 'Views' }));
  expect(await screen.findByRole('menuitem', { name: 'Save these filters…' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
});
