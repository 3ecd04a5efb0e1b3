import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { watchHand } from './hand';

/** So near to the end the reader counts as being there. */
const NEAR_PX = 80;
/** So much room is left below the end. */
const ROOM_PX = 24;

type Place = RefObject<Element | null>;

/** How far down the end of what grows is: of a part of the page, or of all of it. */
function endOf(place: Place | undefined): number {
  const { scrollHeight } = document.documentElement;
  if (!place?.current) return scrollHeight;
  const { bottom } = place.current.getBoundingClientRect();
  return Math.min(scrollHeight, window.scrollY + bottom + ROOM_PX);
}

function inView(end: number): boolean {
  return window.scrollY < end && window.scrollY + window.innerHeight >= end - NEAR_PX;
}

function scrollToEnd(end: number): void {
  window.scrollTo({ top: Math.max(0, end - window.innerHeight), behavior: 'instant' });
}

/**
 * Keeps the end of a part of the page in view while it grows, but only for a reader who is at the end.
 * Reading further up, or what stands below, is never disturbed. The browser moves the page too, as it
 * shrinks or as things above change; only the reader's own hand ends the following.
 */
export function useFollow(live: boolean, fromStart = false, place?: Place) {
  const following = useRef(false);
  const [away, setAway] = useState(false);

  useEffect(() => {
    function follow(): void {
      const end = endOf(place);
      if (window.scrollY + window.innerHeight < end) scrollToEnd(end);
    }

    if (!live) {
      // What came together with the end is still worth showing to a follower.
      if (following.current) follow();
      following.current = false;
      return undefined;
    }
    const hand = watchHand();
    let lastY = window.scrollY;
    following.current = fromStart || inView(endOf(place));

    function scrolled(): void {
      const up = window.scrollY < lastY - 2;
      lastY = window.scrollY;
      const end = endOf(place);
      if (inView(end)) following.current = true;
      else if ((up || lastY >= end) && hand.moves()) following.current = false;
      setAway(!following.current);
    }

    const growth = new ResizeObserver(() => {
      if (following.current) follow();
      else setAway(!inView(endOf(place)));
    });
    growth.observe(document.body);
    window.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      hand.stop();
      growth.disconnect();
      window.removeEventListener('scroll', scrolled);
    };
  }, [live, fromStart, place]);

  const jump = useCallback(() => {
    following.current = true;
    setAway(false);
    scrollToEnd(endOf(place));
  }, [place]);

  return { away: live && away, jump };
}
