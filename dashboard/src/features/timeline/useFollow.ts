import { useCallback, useEffect, useRef, useState } from 'react';
import { watchHand } from './hand';

/** So near to the end the reader counts as being there. */
const NEAR_PX = 80;

function atBottom(): boolean {
  const { scrollHeight } = document.documentElement;
  return window.scrollY + window.innerHeight >= scrollHeight - NEAR_PX;
}

function toBottom(): void {
  window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
}

/**
 * Keeps the end of the page in view while it grows, but only for a reader who is at the end.
 * Reading further up is never disturbed. The browser moves the page too, as it shrinks or as things above change;
 * only the reader's own hand ends the following.
 */
export function useFollow(live: boolean, fromStart = false) {
  const following = useRef(false);
  const [away, setAway] = useState(false);

  useEffect(() => {
    if (!live) {
      // What came together with the end is still worth showing to a follower.
      if (following.current) toBottom();
      following.current = false;
      return undefined;
    }
    const hand = watchHand();
    let lastY = window.scrollY;
    following.current = fromStart || atBottom();

    function scrolled(): void {
      const up = window.scrollY < lastY - 2;
      lastY = window.scrollY;
      if (atBottom()) following.current = true;
      else if (up && hand.moves()) following.current = false;
      setAway(!following.current);
    }

    const growth = new ResizeObserver(() => {
      if (following.current) toBottom();
      else setAway(!atBottom());
    });
    growth.observe(document.body);
    window.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      hand.stop();
      growth.disconnect();
      window.removeEventListener('scroll', scrolled);
    };
  }, [live, fromStart]);

  const jump = useCallback(() => {
    following.current = true;
    setAway(false);
    toBottom();
  }, []);

  return { away: live && away, jump };
}
