import { describe, expect, it } from 'vitest';
import { callFromHash, splitCitations } from './citations';

describe('citations', () => {
  it.each([
    ['nothing here', ['nothing here']],
    ['full [call 3].', ['full [', 3, '].']],
    ['[Call 12] says', ['[', 12, '] says']],
    ['a [calls 1, 2 and 3] b', ['a [', 1, ', ', 2, ' and ', 3, '] b']],
    ['a [call 1, call 2]', ['a [', 1, ', ', 2, ']']],
    ['[call 4–6]', ['[', 4, '–', 6, ']']],
    ['[call 1][call 2]', ['[', 1, '][', 2, ']']],
    ['[call], [call x], [calling 3], call 3', ['[call], [call x], [calling 3], call 3']],
    ['an unfinished [call 1', ['an unfinished [call 1']],
  ])('in %j are parsed', (text, parts) => {
    const found = splitCitations(text);
    expect(found.map((part) => (typeof part === 'string' ? part : part.number))).toEqual(parts);
    const back = found.map((part) => (typeof part === 'string' ? part : part.text));
    expect(back.join('')).toBe(text);
  });

  it('are parsed in linear time', () => {
    const text = '[call 1, '.repeat(50_000);
    expect(splitCitations(text)).toEqual([text]);
  });

  it('are read from the URL fragment', () => {
    expect(callFromHash('#call-7')).toBe(7);
    expect(callFromHash('#call-x')).toBeNull();
    expect(callFromHash('')).toBeNull();
  });
});
