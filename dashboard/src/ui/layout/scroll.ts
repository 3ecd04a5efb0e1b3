/** How long `focusInView` corrects focus and scroll position. */
const KEEP_IN_VIEW_MS = 2500;
const userInputEvents = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;

/** Scrolls to an element by id, as a fragment link does. Returns false when there is no such element. */
export function scrollToAnchor(id: string): boolean {
  const element = document.getElementById(id);
  if (element === null) return false;
  window.history.replaceState(window.history.state, '', `#${id}`);
  focusInView(element);
  return true;
}

/**
 * Focuses an element and scrolls it into view, and repeats both while the layout still changes: what waits for a part of the
 * program is hidden, and takes no focus. Ends after `KEEP_IN_VIEW_MS` or at the first user input. Returns a function that ends it.
 */
export function focusInView(element: HTMLElement): () => void {
  const listeners = new AbortController();
  const show = () => {
    if (!element.contains(document.activeElement)) element.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'start' });
  };
  const resizes = new ResizeObserver(show);
  const end = () => {
    clearTimeout(timer);
    resizes.disconnect();
    listeners.abort();
  };
  const timer = setTimeout(end, KEEP_IN_VIEW_MS);
  for (const type of userInputEvents) {
    window.addEventListener(type, end, { passive: true, signal: listeners.signal });
  }
  show();
  resizes.observe(document.body);
  return end;
}
