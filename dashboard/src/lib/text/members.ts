/** Lines of results that are objects of JSON, as people read them. */
import { parseJson } from './json';

/** How many members that are cut off are given up. */
const mostCut = 20;

/**
 * `pid 14725, name rustc, cpu_percent 92.7` of an object, or of a part of one from the beginning of a member on; null of
 * another text.
 */
export function membersOf(line: string): string | null {
  const text = line.trim().replace(/,+$/, '');
  if (!/^[{"]/.test(text)) return null;
  const open = text.startsWith('{') ? text : `{${text}`;
  const whole = readObject(open) ?? readObject(`${open}}`);
  if (whole !== null) return list(whole);
  let end = open.length;
  for (let cut = 0; cut < mostCut; cut += 1) {
    end = open.lastIndexOf(',', end - 1);
    if (end < 0) return null;
    const rest = readObject(`${open.slice(0, end)}}`);
    if (rest !== null) return `${list(rest)} …`;
  }
  return null;
}

function readObject(text: string): object | null {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.keys(value).length === 0 ? null : value;
}

function list(members: object): string {
  return Object.entries(members)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(', ');
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return `(${list(value)})`;
  }
  return JSON.stringify(value);
}
