import { expect, it } from 'vitest';
import { leafOffsets } from './sourceOffsets';

/** The source of each character of the value. */
function sources(value: string, source: string): readonly string[] | null {
  const offsets = leafOffsets(value, source);
  return offsets?.slice(1).map((end, index) => source.slice(offsets[index], end)) ?? null;
}

it('maps plain text one to one', () => {
  expect(leafOffsets('abc', 'abc')).toEqual([0, 1, 2, 3]);
});

it.each([
  ['a*b', 'a\\*b', ['a', '\\*', 'b']],
  ['<5', '&lt;5', ['&lt;', '5']],
  ['a&b', 'a&amp;b', ['a', '&amp;', 'b']],
  ['a&b;', 'a&b;', ['a', '&', 'b', ';']],
  ['a\nb', 'a  \n   b', ['a', '  \n   ', 'b']],
  ['a\nb', 'a\r\nb', ['a', '\r\n', 'b']],
  ['a\nb', 'a\n> b', ['a', '\n> ', 'b']],
])('maps %j to %j', (value, source, expected) => {
  expect(sources(value, source)?.join('|').replaceAll(/ /g, '')).toBe(
    expected.join('|').replaceAll(/ /g, ''),
  );
});

it('maps a reference to a character of two code units', () => {
  expect(leafOffsets('😀!', '&#x1F600;!')).toEqual([0, 0, 9, 10]);
});

it('gives nothing for texts that do not correspond', () => {
  expect(leafOffsets('abc', 'abx')).toBeNull();
  expect(leafOffsets('abc', 'ab')).toBeNull();
});
