/** How long to wait before the next try: doubling, capped, with half of it left to chance. */
export function backoffDelay(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(15_000, 500 * 2 ** Math.min(attempt, 10));
  return ceiling / 2 + (ceiling / 2) * random();
}
