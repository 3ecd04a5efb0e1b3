import { expect, it } from 'vitest';
import { forEachBounded } from './bounded';

it('bounded work does every item once, never more than the limit at a time', async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  await forEachBounded([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    done.push(item);
  });
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

it('bounded work without items ends', async () => {
  await expect(forEachBounded([], 4, () => Promise.reject(new Error('none')))).resolves.toBe(
    undefined,
  );
});
