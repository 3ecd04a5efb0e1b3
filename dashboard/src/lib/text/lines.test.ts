import { describe, expect, it } from 'vitest';
import { splitLines, findLines } from './lines';

describe('lines', () => {
  it('are unchanged when they are short', () => {
    expect(splitLines('a\nbb\n', 3)).toEqual({
      lines: ['a', 'bb', ''],
      continued: new Set(),
      count: 3,
    });
  });

  it('are split when they are long, never within a character', () => {
    const { lines, continued, count } = splitLines('abcdef\nab😀cd', 3);
    expect(lines).toEqual(['abc', 'def', 'ab', '😀c', 'd']);
    expect([...continued]).toEqual([0, 2, 3]);
    expect(count).toBe(2);
  });

  it('are found when a match spans a split', () => {
    const lines = splitLines('xxOOMKilled\nfine', 6);
    expect(findLines(lines, 'oomkilled', 10)).toEqual([0]);
    expect(findLines(lines, 'fine', 10)).toEqual([2]);
    expect(findLines(lines, '', 10)).toEqual([]);
    expect(findLines(splitLines('a\na\na'), 'a', 2)).toEqual([0, 1]);
  });
});
