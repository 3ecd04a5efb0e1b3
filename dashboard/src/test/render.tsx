import { render } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { Providers } from '../app/Providers';
import { createQueryClient } from '../app/queryClient';
import { routes } from '../app/routes';
import { FakeRelay } from './fakeRelay';

/** Renders the dashboard at a path with a fake relay. */
export function openPage(path: string, { live = true, backgroundDelayMs = 0 } = {}) {
  const relay = new FakeRelay();
  relay.answersPings = true;
  const router = createMemoryRouter(routes, { initialEntries: [path] });
  const client = createQueryClient();
  client.setDefaultOptions({ queries: { retry: false } });
  const view = render(
    <Providers client={client} createSocket={relay.socket} backgroundDelayMs={backgroundDelayMs}>
      <RouterProvider router={router} />
    </Providers>,
  );
  if (live) relay.open();
  return { ...view, relay, router, client };
}
