/** Parts of Markdown documents. */

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
