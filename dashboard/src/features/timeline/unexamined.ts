/** What an investigation did not look at, as far as its record shows. */
import { plain } from '../../lib/text/markdown';
import type { Verdict } from '../../lib/session/verdict';
import type { TimelineItem } from '../../live/reduce';
import { readMeta, toolTitle, type ItemMeta } from './itemMeta';

export interface Unexamined {
  /** Id of the step. */
  readonly id: string;
  /** The number of the call; null for other steps. */
  readonly call: number | null;
  readonly text: string;
}

/** Calls without a result, results that were cut, and limits that ended the work. */
export function readUnexamined(items: readonly TimelineItem[]): readonly Unexamined[] {
  return items.flatMap((item) => {
    const text = describe(item, readMeta(item));
    if (text === null) return [];
    const call = item.event_type === 'llm_tool_call' ? readMeta(item).callNumber : null;
    return [{ id: item.id, call, text }];
  });
}

/** The gaps as a Markdown list. */
export function gapList(items: readonly TimelineItem[]): string {
  const gaps = readUnexamined(items).map(
    ({ call, text }) => `- ${call === null ? '' : `call ${call}: `}${plain(text)}`,
  );
  return gaps.length > 0 ? gaps.join('\n') : 'The record shows no gaps.';
}

function describe(item: TimelineItem, meta: ItemMeta): string | null {
  switch (item.event_type) {
    case 'llm_tool_call':
      return describeCall(item, meta);
    case 'tool_approval':
      return meta.decision === 'denied' ? `${toolTitle(meta)} was denied by a person` : null;
    case 'budget_reached':
      return `The budget was reached${meta.limit === null ? '' : ` (${meta.limit.replaceAll('_', ' ')})`}`;
    default:
      return null;
  }
}

function describeCall(item: TimelineItem, meta: ItemMeta): string | null {
  const name = toolTitle(meta);
  if (meta.refused) return `${name} was refused by policy`;
  if (meta.isError) return `${name} failed`;
  if (item.status === 'unknown') return `${name} has an unknown outcome`;
  if (item.status === 'cancelled' || item.status === 'timed_out') return `${name} did not end`;
  return meta.cut ? `${name} returned more than the timeline shows` : null;
}

/** The gaps as the content of a section of a Markdown document. */
export function gapsToMarkdown(items: readonly TimelineItem[]): string {
  const found = readUnexamined(items).map(
    ({ call, text }) => `- ${call === null ? '' : `call ${call}: `}${text}`,
  );
  return found.length > 0 ? found.join('\n') : 'The record shows no gaps.';
}

/** What the verdict says was not examined, and the gaps of the record, as questions for the chat; calls with the same outcome are one. */
export function openPoints(
  items: readonly TimelineItem[],
  verdict: Verdict | null,
): readonly string[] {
  const stated = verdict?.not_examined ?? [];
  const calls = new Map<string, number[]>();
  for (const { call, text } of readUnexamined(items)) {
    const numbers = calls.get(text) ?? [];
    calls.set(text, call === null ? numbers : [...numbers, call]);
  }
  const gaps = [...calls].map(([text, numbers]) => {
    const subject = numbers.length === 0 ? text : `${describeCalls(numbers)}: ${text}`;
    return `${subject}. What can be looked at instead?`;
  });
  return [...stated.map(({ what }) => `Check ${lowerFirst(what.replace(/\.$/, ''))}`), ...gaps];
}

/** `Call 10`, `Calls 10, 11 and 12`, `Calls 1, 2, 3 and 9 more`. */
function describeCalls(numbers: readonly number[]): string {
  if (numbers.length === 1) return `Call ${numbers[0]}`;
  if (numbers.length > MAX_CALLS_NAMED) {
    const named = numbers.slice(0, MAX_CALLS_NAMED - 1);
    return `Calls ${named.join(', ')} and ${numbers.length - named.length} more`;
  }
  return `Calls ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`;
}

const MAX_CALLS_NAMED = 4;

/** As the middle of a sentence; names in capitals keep them. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
