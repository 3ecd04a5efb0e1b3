/** Batches items per animation frame, so that a fast stream causes at most one render per frame. */
export interface Batcher<T> {
  readonly push: (item: T) => void;
  readonly stop: () => void;
}

/** Flush interval of hidden tabs, in which browsers run no animation frames. */
const HIDDEN_TAB_MS = 250;

export function createBatcher<T>(flush: (items: readonly T[]) => void): Batcher<T> {
  let pending: T[] = [];
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
    const items = pending;
    pending = [];
    if (items.length > 0) flush(items);
  }

  return {
    push(item) {
      pending.push(item);
      if (frame !== null) return;
      frame = requestAnimationFrame(run);
      timer = setTimeout(run, HIDDEN_TAB_MS);
    },
    stop() {
      clear();
      pending = [];
    },
  };
}
