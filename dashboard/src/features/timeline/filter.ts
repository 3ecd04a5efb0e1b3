/** Filters timeline items by category and by text. */
import { printValue } from '../../lib/text/format';
import type { TimelineItem } from '../../live/reduce';
import { readMeta, toolTitle } from './itemMeta';

export const CATEGORIES = [
  { id: 'all', label: 'All' },
  { id: 'calls', label: 'Tool calls' },
  { id: 'responses', label: 'Responses' },
  { id: 'errors', label: 'Errors' },
  { id: 'cited', label: 'Cited' },
] as const;

export type Category = (typeof CATEGORIES)[number]['id'];

export interface Filter {
  readonly category: Category;
  /** Lower case. */
  readonly query: string;
  /** Numbers of the calls that the findings cite. */
  readonly cited: ReadonlySet<number>;
}

export const noFilter: Filter = { category: 'all', query: '', cited: new Set() };

const callTypes: ReadonlySet<string> = new Set(['llm_tool_call', 'mcp_tool_summary']);
const responseTypes: ReadonlySet<string> = new Set([
  'llm_response',
  'final_analysis',
  'executive_summary',
  'user_question',
]);
const errorTypes: ReadonlySet<string> = new Set([
  'error',
  'provider_fallback',
  'budget_reached',
  'injected_instructions',
]);

function isErrorItem(item: TimelineItem): boolean {
  if (errorTypes.has(item.event_type)) return true;
  if (!['completed', 'streaming'].includes(item.status)) return true;
  const { isError, refused, interrupted, truncated } = readMeta(item);
  return isError || refused || interrupted || truncated;
}

function isCited(item: TimelineItem, cited: ReadonlySet<number>): boolean {
  return callTypes.has(item.event_type) && cited.has(readMeta(item).callNumber ?? -1);
}

function matchesCategory(item: TimelineItem, { category, cited }: Filter): boolean {
  if (category === 'cited') return isCited(item, cited);
  if (category === 'calls') return callTypes.has(item.event_type);
  if (category === 'responses') return responseTypes.has(item.event_type);
  return category === 'all' || isErrorItem(item);
}

/** Items are immutable, so the arguments of each are written once. */
const argumentTexts = new WeakMap<TimelineItem, string>();

function argumentText(item: TimelineItem): string {
  const cached = argumentTexts.get(item);
  if (cached !== undefined) return cached;
  const text = printValue(readMeta(item).arguments);
  argumentTexts.set(item, text);
  return text;
}

/** Searches results, names, arguments and errors. */
function matchesQuery(item: TimelineItem, query: string): boolean {
  if (query === '' || item.content.toLowerCase().includes(query)) return true;
  if (item.event_type !== 'llm_tool_call') return false;
  const meta = readMeta(item);
  const parts = [
    `call ${meta.callNumber} ${toolTitle(meta)}`,
    argumentText(item),
    meta.errorMessage,
  ];
  return parts.some((part) => part?.toLowerCase().includes(query));
}

export function filterItems(
  items: readonly TimelineItem[],
  filter: Filter,
): readonly TimelineItem[] {
  const { category, query } = filter;
  if (category === 'all' && query === '') return items;
  return items.filter((item) => matchesCategory(item, filter) && matchesQuery(item, query));
}
