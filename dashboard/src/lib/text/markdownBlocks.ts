/**
 * Splits Markdown that still grows into blocks. All but the last are closed: text that is appended later does not
 * change them.
 */

export interface Block {
  readonly text: string;
  /** Levels of the headings in the blocks before it, `1,2`. */
  readonly headingsBefore: string;
  /** The fence of code that is still open at its end; null without one. */
  readonly openFence: string | null;
}

const fence = /^ {0,3}(`{3,}|~{3,})/;
const listItem = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
/** May become an item when more text arrives. */
const itemBegun = /^\d{1,9}$/;
const heading = /^ {0,3}(#{1,6})(?:\s|$)/;

/** The state of the scan at the beginning of a line. */
interface Scan {
  readonly blocks: Block[];
  /** Where the open block begins. */
  start: number;
  /** The open fence; null outside of code. */
  fence: string | null;
  afterBlank: boolean;
  inList: boolean;
  headings: string[];
  /** Headings of the closed blocks. */
  headingsBefore: string;
}

export function splitBlocks(text: string): readonly Block[] {
  const scan: Scan = {
    blocks: [],
    start: 0,
    fence: null,
    afterBlank: false,
    inList: false,
    headings: [],
    headingsBefore: '',
  };
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    readLine(scan, text, at, text.slice(at, end < 0 ? undefined : end));
    at = next;
  }
  closeBlock(scan, text, text.length);
  return scan.blocks;
}

function readLine(scan: Scan, text: string, at: number, line: string): void {
  if (scan.fence !== null) {
    const closing = fence.exec(line)?.[1] ?? '';
    if (closing.startsWith(scan.fence) && line.trim() === closing) scan.fence = null;
    return;
  }
  if (line.trim() === '') {
    scan.afterBlank = true;
    return;
  }
  if (scan.afterBlank && startsBlock(scan, line)) closeBlock(scan, text, at);
  if (at === scan.start) scan.inList = listItem.test(line);
  scan.afterBlank = false;
  scan.fence = fence.exec(line)?.[1] ?? null;
  const level = heading.exec(line)?.[1]?.length;
  if (level !== undefined) scan.headings.push(String(level));
}

/** An indented line, or another item, continues a list. */
function startsBlock({ inList }: Scan, line: string): boolean {
  if (/^\s/.test(line)) return false;
  return !inList || !(listItem.test(line) || itemBegun.test(line));
}

function closeBlock(scan: Scan, text: string, end: number): void {
  if (end > scan.start) {
    const { start, headingsBefore, fence: openFence } = scan;
    scan.blocks.push({ text: text.slice(start, end), headingsBefore, openFence });
  }
  scan.start = end;
  scan.headingsBefore = scan.headings.join(',');
}
