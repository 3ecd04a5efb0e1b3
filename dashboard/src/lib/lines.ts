/** Text as lines that a browser can lay out: one of megabytes is broken into pieces. */
export const LONGEST_LINE = 2000;

export interface Lines {
  readonly lines: readonly string[];
  /** The places of pieces whose line goes on in the next piece. */
  readonly unfinished: ReadonlySet<number>;
  /** How many lines the text itself has. */
  readonly count: number;
}

export function breakLines(text: string, longest = LONGEST_LINE): Lines {
  const lines: string[] = [];
  const unfinished = new Set<number>();
  const own = text.split('\n');
  for (const line of own) {
    let start = 0;
    while (line.length - start > longest) {
      const end = start + longest - (splitsPair(line, start + longest) ? 1 : 0);
      unfinished.add(lines.length);
      lines.push(line.slice(start, end));
      start = end;
    }
    lines.push(start === 0 ? line : line.slice(start));
  }
  return { lines, unfinished, count: own.length };
}

/** Whether a cut before this place would tear a character of two units. */
function splitsPair(line: string, at: number): boolean {
  const unit = line.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The places of the lines with some words in them, in small letters; at most `most`. */
export function findLines(
  { lines, unfinished }: Lines,
  wanted: string,
  most: number,
): readonly number[] {
  const found: number[] = [];
  if (wanted === '') return found;
  for (const [index, line] of lines.entries()) {
    if (found.length >= most) break;
    // Words may stand across the place where a line was broken.
    const rest = unfinished.has(index) ? (lines[index + 1] ?? '').slice(0, wanted.length - 1) : '';
    if ((line + rest).toLowerCase().includes(wanted)) found.push(index);
  }
  return found;
}
