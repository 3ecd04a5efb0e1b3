/** Parts of Markdown documents. */
import { showBidiControls } from './bidi';

export function section(title: string, text: string): string {
  return `## ${title}\n\n${text.trim()}`;
}

/** A code block whose fence is longer than any in the text. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** A code span on one line, whose fence is longer than any in the text. */
export function codeSpan(text: string): string {
  const fence = '`'.repeat(
    1 + Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length)),
  );
  const pad = fence.length > 1 ? ' ' : '';
  return `${fence}${pad}${text.replaceAll(/\s+/g, ' ')}${pad}${fence}`;
}

/** A text of somebody else on one line, shown letter by letter: nothing in it is markup. */
export function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*[\]<>|~&]/g, String.raw`\$&`)
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`);
}

/** A link to another page. */
export function link(title: string, url: string): string {
  return `[${plain(title)}](<${url.replaceAll('<', '%3C').replaceAll('>', '%3E')}>)`;
}

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const heading = /^ {0,3}(#{1,6})(?=\s|$)/;

/** Markdown as the content of a section: its headings are below the section's, and its last code block is closed. */
export function nested(text: string): string {
  let open: string | null = null;
  const lines = text
    .trim()
    .split('\n')
    .map((line) => {
      const [, marks = '', rest = ''] = fence.exec(line) ?? [];
      if (open === null && marks !== '') open = marks;
      else if (open !== null && marks.startsWith(open) && rest.trim() === '') open = null;
      else if (open === null)
        return line.replace(heading, (_, level: string) => `##${level}`.slice(0, 6));
      return line;
    });
  return [...lines, ...(open === null ? [] : [open])].join('\n');
}

/** Sections as a document. What reorders text is shown in it, because it may be opened by any program. */
export function markdownDocument(parts: readonly (string | null)[]): string {
  return `${showBidiControls(parts.filter((part) => part !== null).join('\n\n'))}\n`;
}
