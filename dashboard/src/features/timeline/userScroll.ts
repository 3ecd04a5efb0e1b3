/** Distinguishes scrolling by the user from scrolling by the browser after a layout change. */

/** Scroll events within this time after user input count as caused by the user. */
const MOMENTUM_MS = 1500;
const userInputEvents = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

export interface UserScrollTracker {
  readonly isScrolling: () => boolean;
  readonly stop: () => void;
}

export function trackUserScroll(): UserScrollTracker {
  const listeners = new AbortController();
  const { signal } = listeners;
  let lastInput = -Infinity;
  let scrollbarHeld = false;
  for (const type of userInputEvents) {
    window.addEventListener(type, () => (lastInput = performance.now()), { signal, passive: true });
  }
  window.addEventListener(
    'mousedown',
    ({ clientX }) => (scrollbarHeld = clientX >= document.documentElement.clientWidth),
    { signal },
  );
  // Browsers send no mouseup for the scrollbar; a mouse move without a pressed button means it was released.
  window.addEventListener(
    'mousemove',
    ({ buttons }) => (scrollbarHeld = scrollbarHeld && buttons !== 0),
    { signal },
  );
  return {
    isScrolling: () => scrollbarHeld || performance.now() - lastInput < MOMENTUM_MS,
    stop: () => listeners.abort(),
  };
}
