import { indentJson } from './json';

const whole = new Intl.NumberFormat('en-US');

/** Tokens and the like: exact below ten thousand, then `12.3k`, `1.2M`. */
export function formatCount(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (value < 10_000) return whole.format(value);
  if (value < 1_000_000) return `${trim(value / 1000)}k`;
  return `${trim(value / 1_000_000)}M`;
}

export function formatExact(value: number): string {
  return whole.format(value);
}

function trim(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${trim(bytes / 1024)} KiB`;
  return `${trim(bytes / (1024 * 1024))} MiB`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatExact(count)} ${count === 1 ? one : many}`;
}

export function shortId(id: string): string {
  return id.length > 13 ? `…${id.slice(-8)}` : id;
}

/** `google_search_result` → `Google search result`. */
export function humanize(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .replaceAll(/\b(?:ai|api|llm|mcp|url)\b/gi, (short) => short.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The first line with something in it, without markdown decoration, cut to a length. */
export function firstLine(text: string, limit = 160): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  const plain = line
    .replace(/^[#>*\-\s]+/, '')
    .replaceAll(/[*`]/g, '')
    .trim();
  return plain.length > limit ? `${plain.slice(0, limit - 1)}…` : plain;
}

/** JSON text indented for reading, its numbers untouched; anything else as it is. */
export function prettyJson(text: string): string {
  const start = text.trimStart().charAt(0);
  if (start !== '{' && start !== '[') return text;
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return indentJson(text);
}

/** A value of unknown shape as text: strings stay, the rest becomes indented JSON. */
export function printValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return prettyJson(value);
  return JSON.stringify(value, null, 2);
}

/** A value on one line, for a heading: `path=/var  depth=2`; text that is no JSON stays text. */
export function inlineValue(value: unknown): string {
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  if (typeof parsed === 'string') return parsed;
  if (typeof parsed !== 'object' || parsed === null) return '';
  return Object.entries(parsed)
    .map(([name, part]) => `${name}=${typeof part === 'string' ? part : JSON.stringify(part)}`)
    .join('  ');
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
