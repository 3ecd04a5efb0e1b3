/** Milliseconds before the next reconnect: exponential from 500 ms to 15 s, with 50 % jitter. */
export function backoffDelay(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(15_000, 500 * 2 ** Math.min(attempt, 10));
  return ceiling / 2 + (ceiling / 2) * random();
}
