import { describe, expect, it } from 'vitest';
import { codeSpan, fenced, link, markdownDocument, nested, plain } from './markdown';

describe('a text of somebody else', () => {
  it.each([
    ['Disk | `tick` *star* [x](y)', String.raw`Disk \| \`tick\` \*star\* \[x\](y)`],
    ['<img src=x> & \n more', String.raw`\<img src=x\> \& more`],
    ['_under_ of disk_full', String.raw`\_under\_ of disk_full`],
  ])('%s has no markup', (text, escaped) => {
    expect(plain(text)).toBe(escaped);
  });

  it('is quoted with a fence that it does not end', () => {
    expect(fenced('a ``` b')).toBe('````\na ``` b\n````');
    expect(codeSpan('a `b`')).toBe('`` a `b` ``');
    expect(link('a]b', 'https://x.example/<y>')).toBe(
      String.raw`[a\]b](<https://x.example/%3Cy%3E>)`,
    );
  });
});

describe('Markdown in a section', () => {
  it('has its headings below that of the section, but for lines of code', () => {
    expect(nested('# Cause\n\n```sh\n# no heading\n```\n\n## Steps\n#hashtag')).toBe(
      '### Cause\n\n```sh\n# no heading\n```\n\n#### Steps\n#hashtag',
    );
  });

  it('ends with the code block that it leaves open', () => {
    expect(nested('Look:\n\n````yaml\n```\na: 1')).toBe('Look:\n\n````yaml\n```\na: 1\n````');
    expect(nested('```\na\n```')).toBe('```\na\n```');
  });
});

it('a document shows what would reorder its text', () => {
  expect(markdownDocument(['a\u202Eb', null, 'c'])).toBe('a[U+202E]b\n\nc\n');
});
