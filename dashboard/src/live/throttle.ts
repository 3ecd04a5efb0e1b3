/** Runs at once, then at most once an interval; a call in between is made up for at its end. */
export interface Throttle {
  readonly call: () => void;
  readonly stop: () => void;
}

export function createThrottle(everyMs: number, run: () => void): Throttle {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let again = false;

  function rest(): void {
    timer = setTimeout(() => {
      timer = null;
      if (!again) return;
      again = false;
      rest();
      run();
    }, everyMs);
  }

  return {
    call() {
      if (timer !== null) {
        again = true;
        return;
      }
      rest();
      run();
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      again = false;
    },
  };
}
