import { describe, expect, it } from 'vitest';
import { breakLines, findLines } from './lines';

describe('lines', () => {
  it('stay as they are unless they are too long', () => {
    expect(breakLines('a\nbb\n', 3)).toEqual({
      lines: ['a', 'bb', ''],
      unfinished: new Set(),
      count: 3,
    });
  });

  it('that are too long are broken, never within a character', () => {
    const { lines, unfinished, count } = breakLines('abcdef\nab😀cd', 3);
    expect(lines).toEqual(['abc', 'def', 'ab', '😀c', 'd']);
    expect([...unfinished]).toEqual([0, 2, 3]);
    expect(count).toBe(2);
  });

  it('are found also where words stand across a break', () => {
    const lines = breakLines('xxOOMKilled\nfine', 6);
    expect(findLines(lines, 'oomkilled', 10)).toEqual([0]);
    expect(findLines(lines, 'fine', 10)).toEqual([2]);
    expect(findLines(lines, '', 10)).toEqual([]);
    expect(findLines(breakLines('a\na\na'), 'a', 2)).toEqual([0, 1]);
  });
});
