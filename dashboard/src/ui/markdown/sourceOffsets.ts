/** Maps the value of a text node to its Markdown source, which has escapes, references and indents besides it. */

const reference = /^&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/;
const escapable = /[!-/:-@[-`{-~]/;
/** What Markdown drops at the beginning of a line: indents and the signs of block quotes. */
const lineStart = /[ \t>]/;

/**
 * The offset in `source` of each UTF-16 code unit of `value`, and of its end. Null when they do not correspond, as
 * in nodes that a plugin has changed.
 */
export function leafOffsets(value: string, source: string): readonly number[] | null {
  const offsets: number[] = [];
  let at = 0;
  for (let index = 0; index < value.length; index += 1) {
    const wanted = value.charAt(index);
    at = skipLineStart(value, index, source, at);
    const length = matchLength(wanted, source, at);
    if (length === 0) return null;
    offsets.push(at);
    // A reference to a character beyond the first plane stands for two code units.
    const low = value.charCodeAt(index + 1);
    if (length > 2 && low >= 0xdc00 && low <= 0xdfff) {
      offsets.push(at);
      index += 1;
    }
    at += length;
  }
  offsets.push(at);
  return offsets;
}

function skipLineStart(value: string, index: number, source: string, from: number): number {
  let at = from;
  if (value.charAt(index) === '\n') while (/[ \t]/.test(source.charAt(at))) at += 1;
  if (value.charAt(index - 1) !== '\n') return at;
  while (lineStart.test(source.charAt(at)) && source.charAt(at) !== value.charAt(index)) at += 1;
  return at;
}

/** The length of the source of one character; 0 when the source has another one. */
function matchLength(wanted: string, source: string, at: number): number {
  const next = source.charAt(at);
  if (next === '\\' && source.charAt(at + 1) === wanted && escapable.test(wanted)) return 2;
  if (next === '&') {
    const [found] = reference.exec(source.slice(at, at + 40)) ?? [];
    if (found !== undefined) return wanted === '&' && !isEntity(found) ? 1 : found.length;
  }
  if (next === wanted) return 1;
  return next === '\r' && wanted === '\n' ? (source.charAt(at + 1) === '\n' ? 2 : 1) : 0;
}

/** Unknown names are plain text that begins with `&`. */
function isEntity(text: string): boolean {
  return text === '&amp;' || text === '&AMP;' || text.startsWith('&#');
}
