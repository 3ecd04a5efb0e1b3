/** What an investigation did not look at, as far as its record shows. */
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

/** The gaps as questions for the chat. */
export function openPoints(items: readonly TimelineItem[]): readonly string[] {
  return readUnexamined(items).map(({ call, text }) => {
    const subject = call === null ? text : `Call ${call}: ${text}`;
    return `${subject}. What can be looked at instead?`;
  });
}
