/** How long `keepInView` corrects the scroll position. */
const KEEP_IN_VIEW_MS = 2500;
const userInputEvents = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;

/** Scrolls to an element by id, as a fragment link does. Returns false when there is no such element. */
export function scrollToAnchor(id: string): boolean {
  const element = document.getElementById(id);
  if (element === null) return false;
  window.history.replaceState(window.history.state, '', `#${id}`);
  element.focus({ preventScroll: true });
  keepInView(element);
  return true;
}

/**
 * Scrolls an element into view and repeats that while the layout above it still grows. Ends after
 * `KEEP_IN_VIEW_MS` or at the first user input. Returns a function that ends it.
 */
export function keepInView(element: Element): () => void {
  const listeners = new AbortController();
  const resizes = new ResizeObserver(() => element.scrollIntoView({ block: 'start' }));
  const end = () => {
    clearTimeout(timer);
    resizes.disconnect();
    listeners.abort();
  };
  const timer = setTimeout(end, KEEP_IN_VIEW_MS);
  for (const type of userInputEvents) {
    window.addEventListener(type, end, { passive: true, signal: listeners.signal });
  }
  element.scrollIntoView({ block: 'start' });
  resizes.observe(document.body);
  return end;
}
