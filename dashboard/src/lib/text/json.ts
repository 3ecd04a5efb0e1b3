/** Parses and formats JSON text. */

/** The parsed value; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Indents valid JSON text. Works on tokens instead of parsed values, because parsing rounds integers of
 * more than 15 digits.
 */
export function indentJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  /** True right after the opening bracket of an array or object. */
  let empty = false;
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [part] of text.matchAll(token)) {
    if (part === '}' || part === ']') {
      depth -= 1;
      parts.push(empty ? '' : line(), part);
      empty = false;
    } else if (part === ',') {
      parts.push(part, line());
    } else if (part === ':') {
      parts.push(': ');
    } else {
      parts.push(empty ? line() : '', removeEscapes(part));
      empty = part === '{' || part === '[';
      if (empty) depth += 1;
    }
  }
  return parts.join('');
}

/** Removes unneeded escapes from a string token: `\u00e9` becomes é. */
function removeEscapes(part: string): string {
  return part.startsWith('"') && part.includes('\\') ? JSON.stringify(JSON.parse(part)) : part;
}
