/** The browser's history, without the path below which TARSy is served. */
import { randomKey } from './randomKey';

/** What led to a location: the browser's buttons and addresses, a link, or a new address in place of the last one. */
export type NavigationType = 'POP' | 'PUSH' | 'REPLACE';

export interface Address {
  /** Percent-encoded, with a slash in front. */
  readonly pathname: string;
  /** Empty, or with `?` in front. */
  readonly search: string;
  /** Empty, or with `#` in front. */
  readonly hash: string;
}

/** What a navigation gives to the page of a session. */
export interface GivenState {
  /** The user comes from what began the session. */
  readonly submitted?: boolean;
  /** What the alert requests without an effect. */
  readonly warnings?: readonly string[];
}

export interface Location extends Address {
  readonly state: GivenState | null;
  /** Of the entry in the history; `default` for one that the dashboard did not make. */
  readonly key: string;
}

export interface Visit {
  readonly location: Location;
  readonly type: NavigationType;
}

export interface NavigateOptions {
  /** Takes the place of the entry, instead of following it. */
  readonly replace?: boolean;
  readonly state?: GivenState | null;
}

export interface History {
  readonly current: () => Visit;
  readonly go: (to: Address, options: NavigateOptions) => void;
  /** Calls the listener after each change, until what it returns is called. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** Where a link of a page leads: only the path, the parameters and the fragment count, so that none leaves TARSy. */
export function resolve(to: string, from: Address): Address {
  const { pathname, search, hash } = new URL(to, `https://tarsy${from.pathname}${from.search}`);
  return { pathname: `/${pathname.replace(/^\/+/, '')}`, search, hash };
}

export const textOf = ({ pathname, search, hash }: Address) => `${pathname}${search}${hash}`;

/** The types of navigations, and who is to know of them. */
export function announcements() {
  const listeners = new Set<() => void>();
  let type: NavigationType = 'POP';
  return {
    type: () => type,
    announce: (next: NavigationType) => {
      type = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function withoutBase(pathname: string, basePath: string): string {
  if (pathname === basePath) return '/';
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
}

interface Stored {
  readonly key?: string;
  readonly state?: GivenState | null;
}

export function browserHistory(basePath: string): History {
  const { type, announce, subscribe } = announcements();
  window.addEventListener('popstate', () => announce('POP'));
  return {
    current: () => {
      const { pathname, search, hash } = window.location;
      const { key = 'default', state = null } = (window.history.state ?? {}) as Stored;
      const location = { pathname: withoutBase(pathname, basePath), search, hash, state, key };
      return { location, type: type() };
    },
    go: (to, { replace = false, state = null }) => {
      const entry: Stored = { key: randomKey(), state };
      const address = `${basePath}${textOf(to)}`;
      if (replace) window.history.replaceState(entry, '', address);
      else window.history.pushState(entry, '', address);
      announce(replace ? 'REPLACE' : 'PUSH');
    },
    subscribe,
  };
}
