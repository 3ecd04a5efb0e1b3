import { showBidiControls } from './bidi';
import { indentJson, parseJson } from './json';

const integer = new Intl.NumberFormat('en-US');

/** A count: exact below ten thousand, then `12.3k`, `1.2M`. */
export function formatCount(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (value < 10_000) return integer.format(value);
  if (value < 1_000_000) return `${trim(value / 1000)}k`;
  return `${trim(value / 1_000_000)}M`;
}

export function formatExact(value: number): string {
  return integer.format(value);
}

/** A number of tokens; `about 1,200` when a part of it is estimated. */
export function approximate(shown: string, estimated: boolean): string {
  return estimated ? `about ${shown}` : shown;
}

function trim(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

/** An amount of millionths of a US dollar; below a cent with four places. */
export function formatCost(microUsd: number): string {
  const dollars = microUsd / 1_000_000;
  const places = dollars !== 0 && dollars < 0.01 ? 4 : 2;
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  }).format(dollars);
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
  const words = showBidiControls(name)
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .replaceAll(/\b(?:ai|api|llm|mcp|url)\b/gi, (short) => short.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The first non-empty line without markdown markup, truncated to `limit` characters. */
export function firstLine(text: string, limit = 160): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  const plain = showBidiControls(line)
    .replace(/^[#>*\-\s]+/, '')
    .replaceAll(/[*`]/g, '')
    .trim();
  return plain.length > limit ? `${plain.slice(0, limit - 1)}…` : plain;
}

/** Indents JSON text without changing its numbers; other text is returned unchanged. */
export function prettyJson(text: string): string {
  const start = text.trimStart().charAt(0);
  if (start !== '{' && start !== '[') return text;
  return parseJson(text) === undefined ? text : indentJson(text);
}

/** Formats an unknown value: JSON objects are indented, other strings are unchanged. */
export function printValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return prettyJson(value);
  return JSON.stringify(value, null, 2);
}

/** Formats a value on one line, `path=/var  depth=2`; text that is not JSON is unchanged. */
export function inlineValue(value: unknown): string {
  const json = typeof value === 'string' ? parseJson(value) : value;
  const parsed = json === undefined ? value : json;
  if (typeof parsed === 'string') return showBidiControls(parsed);
  if (typeof parsed !== 'object' || parsed === null) return '';
  const line = Object.entries(parsed)
    .map(([name, part]) => `${name}=${typeof part === 'string' ? part : JSON.stringify(part)}`)
    .join('  ');
  return showBidiControls(line);
}

/** Joins the non-empty parts of a summary line with middle dots. */
export function joinParts(parts: readonly (string | null)[]): string {
  return showBidiControls(parts.filter((part) => part !== null && part !== '').join(' · '));
}
