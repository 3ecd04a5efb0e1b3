/** Runs work for each item, at most `limit` at a time, in the order of the items. Ends when all work has ended. */
export async function forEachBounded<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  async function takeAll(): Promise<void> {
    // oxlint-disable-next-line no-await-in-loop -- one item after the other; the others are taken by other calls
    for (const item of waiting) await work(item);
  }
  await Promise.all(Array.from({ length: limit }, takeAll));
}
