import { useEffect, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigationType, type Location, type NavigationType } from 'react-router';

const STORAGE_KEY = 'tarsy.scroll';

/** Where each entry of the browser's history was scrolled to, in pixels, by the key of its location. */
function readPositions(): Map<string, number> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]');
    const entries = Array.isArray(stored) ? stored : [];
    return new Map(entries.filter((entry) => typeof entry?.[1] === 'number'));
  } catch {
    return new Map();
  }
}

/** The newest ones are kept. */
const MAX_POSITIONS = 50;

function writePositions(positions: ReadonlyMap<string, number>): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...positions].slice(-MAX_POSITIONS)));
  } catch {
    // Without storage, a reload begins at the top.
  }
}

const samePage = (one: Location, other: Location) =>
  one.pathname === other.pathname && one.search === other.search;

/** Scrolls to where the page was left, to what the fragment names, or to the top of a new page. */
function scrollAfter(type: NavigationType, location: Location, position: number | undefined): void {
  if (type === 'POP') {
    if (position !== undefined) window.scrollTo(0, position);
    return;
  }
  const target = document.getElementById(location.hash.slice(1));
  if (target) target.scrollIntoView();
  else window.scrollTo(0, 0);
}

/** Replaces the browser's own restoration, which comes before the page is there. */
export function useScrollRestoration(): void {
  const location = useLocation();
  const type = useNavigationType();
  const positions = useRef<Map<string, number>>(null);
  const previous = useRef<Location>(null);

  useEffect(() => {
    window.history.scrollRestoration = 'manual';
    const store = () => {
      writePositions(positions.current ?? new Map());
      window.history.scrollRestoration = 'auto';
    };
    window.addEventListener('pagehide', store);
    return () => window.removeEventListener('pagehide', store);
  }, []);

  useLayoutEffect(() => {
    const known = (positions.current ??= readPositions());
    const last = previous.current;
    previous.current = location;
    // What replaces the URL of a page, such as a filter, does not move it; nor does a link to a place in it, which the browser follows.
    const stays = last !== null && samePage(last, location);
    const replaced = last?.pathname === location.pathname && type === 'REPLACE';
    if (!stays && !replaced) scrollAfter(type, location, known.get(location.key));
    const remember = () => {
      // Set anew, it is the newest one.
      known.delete(location.key);
      known.set(location.key, window.scrollY);
    };
    window.addEventListener('scroll', remember, { passive: true });
    return () => window.removeEventListener('scroll', remember);
  }, [location, type]);
}
