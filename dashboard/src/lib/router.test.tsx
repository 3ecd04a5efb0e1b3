import { act, fireEvent, render, screen } from '@testing-library/react';
import { StrictMode } from 'react';
import { expect, it } from 'vitest';
import { memoryHistory } from '../test/memoryHistory';
import { browserHistory, resolve, type History } from './history';
import { Link, matchPath, NavLink, Redirect, Router, useLocation, useSearchParams } from './router';

const from = { pathname: '/search', search: '?q=disk', hash: '#top' };

it('a link leads to a path, to other parameters of the page, or to a place in it', () => {
  expect(resolve('/sessions/1#call-3', from)).toEqual({
    pathname: '/sessions/1',
    search: '',
    hash: '#call-3',
  });
  expect(resolve('?q=cpu', from)).toEqual({ pathname: '/search', search: '?q=cpu', hash: '' });
  expect(resolve('?', from)).toEqual({ pathname: '/search', search: '', hash: '' });
  expect(resolve('#end', from)).toEqual({ ...from, hash: '#end' });
});

it('no link leads out of TARSy', () => {
  for (const to of ['//elsewhere.example/a', 'https://elsewhere.example/a', '/\\elsewhere/a']) {
    expect(resolve(to, from).pathname).toBe('/a');
  }
  expect(resolve('/.//elsewhere.example', from).pathname).toBe('/elsewhere.example');
});

it('a pattern finds its parameters, decoded once', () => {
  expect(matchPath('/', '/')).toEqual({});
  expect(matchPath('/sessions/:id', '/sessions/a%2Fb/')).toEqual({ id: 'a/b' });
  expect(matchPath('/sessions/:id', '/sessions/%2525')).toEqual({ id: '%25' });
  expect(matchPath('/sessions/:id', '/sessions/%')).toEqual({ id: '%' });
  expect(matchPath('/documentation/*', '/documentation/install/wheel')).toEqual({
    '*': 'install/wheel',
  });
  expect(matchPath('/Search', '/search')).toEqual({});
  for (const path of ['/', '/sessions', '/sessions/1/trace']) {
    expect(matchPath('/sessions/:id', path)).toBeNull();
  }
});

function Filters() {
  const [search, setSearch] = useSearchParams();
  const { pathname, hash, state } = useLocation();
  return (
    <>
      <output>{`${pathname} ${search} ${hash} ${JSON.stringify(state)}`}</output>
      <Link to="/sessions/1#end" state={{ submitted: true }}>
        session
      </Link>
      <NavLink to="/search">search</NavLink>
      <button onClick={() => setSearch((now) => ({ q: `${now.get('q')}s` }), { replace: true })}>
        more
      </button>
      {pathname === '/old' && <Redirect to="/search" />}
    </>
  );
}

function open(history: History) {
  render(
    <StrictMode>
      <Router history={history}>
        <Filters />
      </Router>
    </StrictMode>,
  );
}

const shown = () => screen.getByRole('status').textContent;

it('links, parameters and redirects change the page, and say how', () => {
  const history = memoryHistory('/old');
  open(history);
  expect(shown()).toBe('/search   null');
  expect(history.current().type).toBe('REPLACE');
  expect(screen.getByText('search')).toHaveAttribute('aria-current', 'page');
  act(() => history.go(from, {}));
  fireEvent.click(screen.getByText('more'));
  expect(shown()).toBe('/search q=disks  null');
  fireEvent.click(screen.getByText('session'));
  expect(shown()).toBe('/sessions/1  #end {"submitted":true}');
  expect(history.current().type).toBe('PUSH');
  expect(screen.getByText('search')).not.toHaveAttribute('aria-current');
});

it('a link to the page itself adds no entry, and a click with a modifier is left to the browser', () => {
  const history = memoryHistory('/search');
  open(history);
  fireEvent.click(screen.getByText('search'));
  expect(history.current().type).toBe('REPLACE');
  const { key } = history.current().location;
  fireEvent.click(screen.getByText('session'), { ctrlKey: true });
  fireEvent.click(screen.getByText('session'), { button: 1 });
  expect(history.current().location.key).toBe(key);
});

it("the browser's history has the base path, and its buttons are followed", async () => {
  window.history.replaceState(null, '', '/ops/tarsy/search?q=disk#top');
  const history = browserHistory('/ops/tarsy');
  expect(history.current()).toEqual({
    location: { ...from, state: null, key: 'default' },
    type: 'POP',
  });
  open(history);
  act(() => history.go(resolve('/', from), { state: { submitted: true } }));
  expect(window.location.pathname).toBe('/ops/tarsy/');
  expect(shown()).toBe('/   {"submitted":true}');
  window.history.back();
  await screen.findByText('/search q=disk #top null');
  expect(history.current().type).toBe('POP');
  window.history.replaceState(null, '', '/');
});
