/** Splits text into lines short enough for a browser to lay out. Lengths are UTF-16 code units. */
export const MAX_LINE_LENGTH = 2000;

export interface Lines {
  readonly lines: readonly string[];
  /** Indexes of entries whose line continues in the next entry. */
  readonly continued: ReadonlySet<number>;
  /** Lines of the original text. */
  readonly count: number;
}

export function splitLines(text: string, maxLength = MAX_LINE_LENGTH): Lines {
  const lines: string[] = [];
  const continued = new Set<number>();
  const original = text.split('\n');
  for (const line of original) {
    let start = 0;
    while (line.length - start > maxLength) {
      const end = start + maxLength - (splitsSurrogatePair(line, start + maxLength) ? 1 : 0);
      continued.add(lines.length);
      lines.push(line.slice(start, end));
      start = end;
    }
    lines.push(start === 0 ? line : line.slice(start));
  }
  return { lines, continued, count: original.length };
}

function splitsSurrogatePair(line: string, index: number): boolean {
  const unit = line.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Indexes of the lines that contain `query` (lower case), at most `limit`. */
export function findLines(
  { lines, continued }: Lines,
  query: string,
  limit: number,
): readonly number[] {
  const matches: number[] = [];
  if (query === '') return matches;
  for (const [index, line] of lines.entries()) {
    if (matches.length >= limit) break;
    // A match may span two entries of one line.
    const next = continued.has(index) ? (lines[index + 1] ?? '').slice(0, query.length - 1) : '';
    if ((line + next).toLowerCase().includes(query)) matches.push(index);
  }
  return matches;
}
