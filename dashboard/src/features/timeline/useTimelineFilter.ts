import { useDeferredValue, useMemo, useState } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { hasCall, useTarget, type Target } from './calls';
import { everything, filterItems, type Shown } from './filter';

/** What the reader looks for in the timeline; a citation always leads to its call. */
export function useTimelineFilter(items: readonly TimelineItem[]) {
  const [shown, setShown] = useState<Shown>(everything.shown);
  const [typed, setTyped] = useState('');
  const [followed, setFollowed] = useState<Target | null>(null);
  const words = useDeferredValue(typed.trim().toLowerCase());
  const kind = useDeferredValue(shown);
  const found = useMemo(() => filterItems(items, { shown: kind, words }), [items, kind, words]);
  const target = useTarget();
  if (target !== followed) {
    setFollowed(target);
    if (target !== null && !found.some((item) => hasCall(item, target.number))) {
      setShown(everything.shown);
      setTyped('');
    }
  }
  return { shown, setShown, typed, setTyped, found, narrowed: kind !== 'all' || words !== '' };
}
