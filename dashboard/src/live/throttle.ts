/** Runs immediately, then at most once per interval; calls in between cause one run at its end. */
export interface Throttle {
  readonly call: () => void;
  readonly stop: () => void;
}

export function createThrottle(everyMs: number, run: () => void): Throttle {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let pending = false;

  function startInterval(): void {
    timer = setTimeout(() => {
      timer = null;
      if (!pending) return;
      pending = false;
      startInterval();
      run();
    }, everyMs);
  }

  return {
    call() {
      if (timer !== null) {
        pending = true;
        return;
      }
      startInterval();
      run();
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      pending = false;
    },
  };
}
