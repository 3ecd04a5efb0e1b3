import { render } from '@testing-library/react';
import { act, useEffect } from 'react';
import { MemoryRouter, useLocation, useNavigate, type Location } from 'react-router';
import { Providers } from '../app/Providers';
import { createQueryClient } from '../app/queryClient';
import { AppRoutes } from '../app/routes';
import { FakeRelay } from './fakeRelay';

/** Where the dashboard is, and how a test goes elsewhere. */
class TestRouter {
  readonly state: { location: Location } = {
    location: { pathname: '', search: '', hash: '', key: '', state: null },
  };
  go: (to: string) => void | Promise<void> = () => undefined;

  readonly follow = (location: Location, go: TestRouter['go']): void => {
    this.state.location = location;
    this.go = go;
  };

  readonly navigate = (to: string): Promise<void> => act(async () => this.go(to));
}

interface FollowProps {
  readonly onChange: (location: Location, go: TestRouter['go']) => void;
}

function Follow({ onChange }: FollowProps) {
  const location = useLocation();
  const navigate = useNavigate();
  useEffect(() => onChange(location, navigate));
  return null;
}

/** Renders the dashboard at a path with a fake relay. */
export function openPage(path: string, { live = true, backgroundDelayMs = 0 } = {}) {
  const relay = new FakeRelay();
  relay.answersPings = true;
  const router = new TestRouter();
  const client = createQueryClient();
  client.setDefaultOptions({ queries: { retry: false } });
  const view = render(
    <Providers client={client} createSocket={relay.socket} backgroundDelayMs={backgroundDelayMs}>
      <MemoryRouter initialEntries={[path]}>
        <AppRoutes />
        <Follow onChange={router.follow} />
      </MemoryRouter>
    </Providers>,
  );
  if (live) relay.open();
  return { ...view, relay, router, client };
}
