/** Whether the reader moves the page, or the browser does because the page changed. */

/** So long after a touch of wheel, key or screen the page may still move because of it. */
const MOMENTUM_MS = 1500;
const touches = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

export interface Hand {
  readonly moves: () => boolean;
  readonly stop: () => void;
}

export function watchHand(): Hand {
  const ears = new AbortController();
  const { signal } = ears;
  let touched = -Infinity;
  /** The bar at the window's side is held. */
  let held = false;
  for (const kind of touches) {
    window.addEventListener(kind, () => (touched = performance.now()), { signal, passive: true });
  }
  window.addEventListener(
    'mousedown',
    ({ clientX }) => (held = clientX >= document.documentElement.clientWidth),
    { signal },
  );
  // The bar does not tell that it was let go; the next free movement of the mouse does.
  window.addEventListener('mousemove', ({ buttons }) => (held = held && buttons !== 0), { signal });
  return {
    moves: () => held || performance.now() - touched < MOMENTUM_MS,
    stop: () => ears.abort(),
  };
}
