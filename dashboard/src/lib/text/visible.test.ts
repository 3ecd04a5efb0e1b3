import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { layOutArguments, showExactly } from './visible';

interface Case {
  readonly name: string;
  readonly text: string;
  readonly exact: string;
  readonly arguments: string;
}

/** The cases that the messages in Slack are tested with, too. */
const cases = JSON.parse(readFileSync('../libs/visible/tests/cases.json', 'utf8')) as Case[];

describe('every character of a text is seen', () => {
  it.each(cases)('$name', (one) => {
    expect(showExactly(one.text)).toBe(one.exact);
    expect(layOutArguments(one.text)).toBe(one.arguments);
  });

  it('also half a character', () => {
    expect(showExactly('a\ud800b')).toBe('a[U+D800]b');
  });
});
