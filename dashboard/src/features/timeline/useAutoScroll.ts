import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { trackUserScroll } from './userScroll';

/** Within this distance of the end the user counts as being at the end. */
const NEAR_END_PX = 80;
/** Space below the end of the container. */
const MARGIN_PX = 24;

type Container = RefObject<Element | null>;

/** Vertical page position of the end of the container, or of the page without one. */
function endOf(container: Container | undefined): number {
  const { scrollHeight } = document.documentElement;
  if (!container?.current) return scrollHeight;
  const { bottom } = container.current.getBoundingClientRect();
  return Math.min(scrollHeight, window.scrollY + bottom + MARGIN_PX + noticesHeight());
}

/** Height in pixels of the notices, which cover the end of the window. */
function noticesHeight(): number {
  const styles = getComputedStyle(document.documentElement);
  return Number.parseFloat(styles.getPropertyValue('--tarsy-notices-height')) || 0;
}

function inView(end: number): boolean {
  return window.scrollY < end && window.scrollY + window.innerHeight >= end - NEAR_END_PX;
}

function scrollToEnd(end: number): void {
  window.scrollTo({ top: Math.max(0, end - window.innerHeight), behavior: 'instant' });
}

function followEnd(container: Container | undefined): void {
  const end = endOf(container);
  if (window.scrollY + window.innerHeight < end) scrollToEnd(end);
}

interface Follower {
  readonly container: Container | undefined;
  readonly following: RefObject<boolean>;
  readonly onDetached: (detached: boolean) => void;
}

/** Follows the end until `stop`. Only scrolling by the user ends or resumes the following. */
function startFollowing({ container, following, onDetached }: Follower): () => void {
  const userScroll = trackUserScroll();
  let lastY = window.scrollY;

  function handleScroll(): void {
    const up = window.scrollY < lastY - 2;
    lastY = window.scrollY;
    const end = endOf(container);
    if (inView(end)) following.current = true;
    else if ((up || lastY >= end) && userScroll.isScrolling()) following.current = false;
    onDetached(!following.current);
  }

  const resizes = new ResizeObserver(() => {
    if (following.current) followEnd(container);
    else onDetached(!inView(endOf(container)));
  });
  resizes.observe(document.body);
  window.addEventListener('scroll', handleScroll, { passive: true });
  return () => {
    userScroll.stop();
    resizes.disconnect();
    window.removeEventListener('scroll', handleScroll);
  };
}

/**
 * Keeps the end of a growing container in view while the user is at its end. `fromStart` follows it even
 * before the user has scrolled there. `detached` is true while the session is live and not followed.
 */
export function useAutoScroll(live: boolean, fromStart = false, container?: Container) {
  const following = useRef(false);
  const [detached, setDetached] = useState(false);

  useEffect(() => {
    if (!live) {
      // The last update may arrive together with the end of the session.
      if (following.current) followEnd(container);
      following.current = false;
      return undefined;
    }
    following.current = fromStart || inView(endOf(container));
    return startFollowing({ container, following, onDetached: setDetached });
  }, [live, fromStart, container]);

  const jumpToEnd = useCallback(() => {
    following.current = true;
    setDetached(false);
    scrollToEnd(endOf(container));
  }, [container]);

  return { detached: live && detached, jumpToEnd };
}
