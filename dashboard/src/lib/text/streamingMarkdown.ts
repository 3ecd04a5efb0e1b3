/** Completes the last block of Markdown that still grows, so that what is shown does not change its form when more arrives. */
import remend from 'remend';
import type { Block } from './markdownBlocks';

/** HTML is shown as text, and `$` is money. */
const options = {
  linkMode: 'text-only',
  htmlTags: false,
  setextHeadings: false,
  katex: false,
} as const;

/** A line of signs alone: the next character decides whether it begins a list, a heading, a fence, a row or bold text. */
const undecided = /^\s*(?:[-*+_=#`~>|:\s]+|\d{1,9}[.)]?\s*)$/;
/** Signs that open something of which nothing has arrived. */
const opening = /(?<=^|[\s([|])[*_`~]+$/;
const row = /^ {0,3}\|/;

export function completeBlock({ text, openFence }: Block): string {
  const start = text.lastIndexOf('\n') + 1;
  const line = text.slice(start);
  if (openFence !== null) {
    // The beginning of the closing fence is no line of the code.
    return line !== '' && openFence.startsWith(line.trim()) && line.trim() !== openFence
      ? text.slice(0, start)
      : text;
  }
  const decided = undecided.test(line) ? text.slice(0, start) : text;
  return remend(completeTable(decided.replace(opening, '')), options);
}

/** The first row of a table is one only with the row of dashes below it. */
function completeTable(text: string): string {
  const lines = text.trimEnd().split('\n');
  const header = lines.at(-1) ?? '';
  if (!row.test(header) || row.test(lines.at(-2) ?? '')) return text;
  const inner = header
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  const columns = inner.split(/(?<!\\)\|/).length;
  return [...lines.slice(0, -1), `|${inner}|`, `|${'---|'.repeat(columns)}`].join('\n');
}
