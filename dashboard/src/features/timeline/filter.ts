/** Filters timeline items by category and by text. */
import type { TimelineItem } from '../../live/reduce';
import { readMeta, toolTitle } from './itemMeta';

export const CATEGORIES = [
  { id: 'all', label: 'All' },
  { id: 'calls', label: 'Tool calls' },
  { id: 'responses', label: 'Responses' },
  { id: 'errors', label: 'Errors' },
] as const;

export type Category = (typeof CATEGORIES)[number]['id'];

export interface Filter {
  readonly category: Category;
  /** Lower case. */
  readonly query: string;
}

export const noFilter: Filter = { category: 'all', query: '' };

const callTypes: ReadonlySet<string> = new Set(['llm_tool_call', 'mcp_tool_summary']);
const responseTypes: ReadonlySet<string> = new Set([
  'llm_response',
  'final_analysis',
  'executive_summary',
  'user_question',
]);
const errorTypes: ReadonlySet<string> = new Set(['error', 'provider_fallback', 'budget_reached']);

function isErrorItem(item: TimelineItem): boolean {
  if (errorTypes.has(item.event_type)) return true;
  if (!['completed', 'streaming'].includes(item.status)) return true;
  const { isError, refused, interrupted, truncated } = readMeta(item);
  return isError || refused || interrupted || truncated;
}

function matchesCategory(item: TimelineItem, category: Category): boolean {
  if (category === 'calls') return callTypes.has(item.event_type);
  if (category === 'responses') return responseTypes.has(item.event_type);
  return category === 'all' || isErrorItem(item);
}

function matchesQuery(item: TimelineItem, query: string): boolean {
  if (query === '' || item.content.toLowerCase().includes(query)) return true;
  if (item.event_type !== 'llm_tool_call') return false;
  const meta = readMeta(item);
  return `call ${meta.callNumber} ${toolTitle(meta)}`.toLowerCase().includes(query);
}

export function filterItems(
  items: readonly TimelineItem[],
  { category, query }: Filter,
): readonly TimelineItem[] {
  if (category === 'all' && query === '') return items;
  return items.filter((item) => matchesCategory(item, category) && matchesQuery(item, query));
}
