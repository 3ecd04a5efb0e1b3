/** JSON as text, made readable without changing what it says. */

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Indents JSON that is known to be valid. Numbers stay digit by digit as they were: read and written
 * again, one of 19 digits becomes another number.
 */
export function indentJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  /** Whether a list or an object has begun and has nothing in it yet. */
  let empty = false;
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [found] of text.matchAll(token)) {
    if (found === '}' || found === ']') {
      depth -= 1;
      parts.push(empty ? '' : line(), found);
      empty = false;
    } else if (found === ',') {
      parts.push(found, line());
    } else if (found === ':') {
      parts.push(': ');
    } else {
      parts.push(empty ? line() : '', readable(found));
      empty = found === '{' || found === '[';
      if (empty) depth += 1;
    }
  }
  return parts.join('');
}

/** A text without escapes that it does not need: `\u00e9` is é. */
function readable(found: string): string {
  return found.startsWith('"') && found.includes('\\') ? JSON.stringify(JSON.parse(found)) : found;
}
