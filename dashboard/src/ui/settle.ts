/** How long a page may go on growing above a place that was scrolled to. */
const PATIENCE_MS = 2500;
const byHand = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;

/** Goes to a place of this page by its anchor, as a link does; whether it is there. */
export function goTo(anchor: string): boolean {
  const place = document.getElementById(anchor);
  if (place === null) return false;
  window.history.replaceState(window.history.state, '', `#${anchor}`);
  place.focus({ preventScroll: true });
  settleAt(place);
  return true;
}

/**
 * Brings an element into view and keeps it there while the page around it still grows, as texts and
 * earlier steps are put on it. The reader's own hand ends it at once.
 */
export function settleAt(element: Element): () => void {
  const hand = new AbortController();
  const growth = new ResizeObserver(() => element.scrollIntoView({ block: 'start' }));
  const end = () => {
    clearTimeout(timer);
    growth.disconnect();
    hand.abort();
  };
  const timer = setTimeout(end, PATIENCE_MS);
  for (const kind of byHand) {
    window.addEventListener(kind, end, { passive: true, signal: hand.signal });
  }
  element.scrollIntoView({ block: 'start' });
  growth.observe(document.body);
  return end;
}
