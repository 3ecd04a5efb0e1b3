/** Looking for something in a long timeline: by kind and by words. */
import type { TimelineItem } from '../../live/reduce';
import { readMeta, toolTitle } from './itemMeta';

export const SHOWN = [
  { id: 'all', label: 'All' },
  { id: 'calls', label: 'Tool calls' },
  { id: 'texts', label: 'Answers' },
  { id: 'trouble', label: 'Trouble' },
] as const;

export type Shown = (typeof SHOWN)[number]['id'];

export interface Wanted {
  readonly shown: Shown;
  /** Words, in small letters. */
  readonly words: string;
}

export const everything: Wanted = { shown: 'all', words: '' };

const calls: ReadonlySet<string> = new Set(['llm_tool_call', 'mcp_tool_summary']);
const texts: ReadonlySet<string> = new Set([
  'llm_response',
  'final_analysis',
  'executive_summary',
  'user_question',
]);
const troubles: ReadonlySet<string> = new Set(['error', 'provider_fallback', 'budget_reached']);

function isTrouble(item: TimelineItem): boolean {
  if (troubles.has(item.event_type)) return true;
  if (!['completed', 'streaming'].includes(item.status)) return true;
  const { isError, refused, interrupted } = readMeta(item);
  return isError || refused || interrupted;
}

function fits(item: TimelineItem, { shown, words }: Wanted): boolean {
  if (shown === 'calls' && !calls.has(item.event_type)) return false;
  if (shown === 'texts' && !texts.has(item.event_type)) return false;
  if (shown === 'trouble' && !isTrouble(item)) return false;
  if (words === '') return true;
  if (item.content.toLowerCase().includes(words)) return true;
  return (
    item.event_type === 'llm_tool_call' &&
    `call ${readMeta(item).callNumber} ${toolTitle(readMeta(item))}`.toLowerCase().includes(words)
  );
}

export function filterItems(
  items: readonly TimelineItem[],
  wanted: Wanted,
): readonly TimelineItem[] {
  if (wanted.shown === 'all' && wanted.words === '') return items;
  return items.filter((item) => fits(item, wanted));
}
