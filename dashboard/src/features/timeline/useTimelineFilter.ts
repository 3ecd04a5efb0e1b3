import { useDeferredValue, useMemo, useState } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { isCall, useCallTarget, type CallTarget } from './calls';
import { filterItems, noFilter, type Category } from './filter';

export interface TimelineFilterState {
  readonly category: Category;
  readonly setCategory: (category: Category) => void;
  readonly input: string;
  readonly setInput: (input: string) => void;
  readonly matching: readonly TimelineItem[];
  /** True when the filter may hide items. */
  readonly active: boolean;
}

/** The state of the timeline filter. It is reset when a citation targets a hidden call. */
export function useTimelineFilter(
  items: readonly TimelineItem[],
  cited: ReadonlySet<number>,
): TimelineFilterState {
  const [category, setCategory] = useState<Category>(noFilter.category);
  const [input, setInput] = useState('');
  const [followed, setFollowed] = useState<CallTarget | null>(null);
  const query = useDeferredValue(input.trim().toLowerCase());
  const applied = useDeferredValue(category);
  const matching = useMemo(
    () => filterItems(items, { category: applied, query, cited }),
    [items, applied, query, cited],
  );
  const target = useCallTarget();
  if (target !== followed) {
    setFollowed(target);
    if (target !== null && !matching.some((item) => isCall(item, target.number))) {
      setCategory(noFilter.category);
      setInput('');
    }
  }
  const active = applied !== noFilter.category || query !== '';
  return { category, setCategory, input, setInput, matching, active };
}
