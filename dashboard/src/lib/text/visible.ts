/** Texts of others, shown so that a person sees every character. `libs/visible` does the same in Rust. */
import { parseJson } from './json';

/**
 * White space of any kind, what has no glyph, marks that strike others through or enclose them, and the dot that stands for a
 * space; one space is as it is.
 */
const inexact =
  /([\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Z}\p{Me}\p{Default_Ignorable_Code_Point}\u0332-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5-\u20eb\u2800\u{1d159}\u00b7])\1*/gu;
/** The most spaces that are shown one by one. */
const MAX_DOTS = 8;
/** What a line is indented by that goes on with a text. */
const CONTINUED = '    ';
/** What ends a statement: a line break, a semicolon, `&&`, `||`, or `|` or `&` before white space. */
const ends = /\n+|;+|([&|])\1+|[&|](?=\s)/gu;

/** Shows what nobody sees as its code point, `[U+200B]`, and several spaces as dots or with their number. */
export function showExactly(text: string): string {
  return text.replace(inexact, (run, sign: string) => {
    const count = run.length / sign.length;
    if (sign === ' ') return showSpaces(count);
    const code = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return count === 1 ? `[U+${code}]` : `[U+${code}×${count}]`;
  });
}

function showSpaces(count: number): string {
  if (count === 1) return ' ';
  return count <= MAX_DOTS ? '·'.repeat(count) : `·[×${count}]`;
}

/**
 * The arguments of a call, one value a line, and of a value that is a program one statement a line. A line break of a text
 * is shown as `\n`, so that it differs from one of the layout. A text that is no JSON is shown as it is.
 */
export function layOutArguments(value: unknown): string {
  if (typeof value !== 'string') return layOut(value, '');
  const json = parseJson(value);
  return json === undefined ? layOutStatements(value, '') : layOut(json, '');
}

function layOut(value: unknown, indent: string): string {
  if (typeof value === 'string') return quote(value, indent);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const deeper = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((item) => layOut(item, deeper))
    : Object.entries(value).map(
        ([name, item]) => `${quote(name, deeper)}: ${layOut(item, deeper)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (members.length === 0) return `${open}${close}`;
  return `${open}\n${deeper}${members.join(`,\n${deeper}`)}\n${indent}${close}`;
}

function quote(text: string, indent: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `"${layOutStatements(escaped, indent)}"`;
}

function layOutStatements(text: string, indent: string): string {
  let shown = '';
  let from = 0;
  for (const end of text.matchAll(ends)) {
    const after = end.index + end[0].length;
    shown += showExactly(text.slice(from, end.index)) + showEnd(end[0]);
    if (after < text.length) shown += `\n${indent}${CONTINUED}`;
    from = after;
  }
  return shown + showExactly(text.slice(from));
}

/** Line breaks are shown as `\n`, several with their number. */
function showEnd(end: string): string {
  const sign = end.startsWith('\n') ? '\\n' : end.charAt(0);
  return end.length > 2 ? `${sign}[×${end.length}]` : sign.repeat(end.length);
}
