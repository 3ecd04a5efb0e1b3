/** Gathers what arrives between two frames, so that a fast stream costs one render a frame. */
export interface Batcher<T> {
  readonly push: (item: T) => void;
  readonly stop: () => void;
}

/** Frames rest in hidden tabs; the timer makes sure that nothing piles up there. */
const HIDDEN_TAB_MS = 250;

export function createBatcher<T>(flush: (items: readonly T[]) => void): Batcher<T> {
  let waiting: T[] = [];
  let frame: number | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;

  function clear(): void {
    if (frame !== null) cancelAnimationFrame(frame);
    if (timer !== null) clearTimeout(timer);
    frame = null;
    timer = null;
  }

  function run(): void {
    clear();
    const items = waiting;
    waiting = [];
    if (items.length > 0) flush(items);
  }

  return {
    push(item) {
      waiting.push(item);
      if (frame !== null) return;
      frame = requestAnimationFrame(run);
      timer = setTimeout(run, HIDDEN_TAB_MS);
    },
    stop() {
      clear();
      waiting = [];
    },
  };
}
