import { expect, it } from 'vitest';
import { splitBlocks } from './markdownBlocks';

function texts(markdown: string): readonly string[] {
  return splitBlocks(markdown).map(({ text }) => text.trimEnd());
}

const document = [
  '# Findings',
  'The disk is full.\nIt has 3 GiB.',
  '- one\n- two\n\n  still two\n\n- three',
  '```sh\ndf -h\n\ndu -sh\n```',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '1. first\n\n2. second',
  '> quoted\n> text',
  '~~~\n```\n\n~~~',
  'The end.',
];

it('keeps lists, code and tables whole', () => {
  expect(texts(document.join('\n\n'))).toEqual(document);
});

it('loses no character', () => {
  const text = `\n\n${document.join('\n\n\n')}\n`;
  const blocks = splitBlocks(text);
  expect(blocks.map((block) => block.text).join('')).toBe(text);
});

it('does not change a closed block when text is appended', () => {
  const whole = document.join('\n\n');
  let closed: readonly string[] = [];
  for (let length = 0; length <= whole.length; length += 1) {
    const blocks = splitBlocks(whole.slice(0, length));
    const now = blocks.slice(0, -1).map(({ text }) => text);
    expect(now.slice(0, closed.length)).toEqual(closed);
    closed = now;
  }
  expect(closed).toHaveLength(document.length - 1);
});

it('gives the levels of the headings before each block', () => {
  const blocks = splitBlocks('## A\n\ntext\n\n```\n# no heading\n```\n\n### B\n\nend');
  expect(blocks.map(({ headingsBefore }) => headingsBefore)).toEqual(['', '2', '2', '2', '2,3']);
});
