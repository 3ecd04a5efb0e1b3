import { useCallback, useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { readParams, writeParams, type ListParams } from './params';

/** Filters and order, as the reader left them; which page it was is forgotten. */
const KEPT = 'tarsy-list';

function keep(list: ListParams): void {
  try {
    localStorage.setItem(KEPT, writeParams({ ...list, page: 1 }).toString());
  } catch {
    // A browser that keeps nothing shows the plain list next time.
  }
}

function kept(): ListParams | null {
  try {
    const text = localStorage.getItem(KEPT) ?? '';
    return text === '' ? null : readParams(new URLSearchParams(text));
  } catch {
    return null;
  }
}

export function useListParams() {
  const [search, setSearch] = useSearchParams();
  // An address that says nothing of its own shows the list as it was left.
  const [left] = useState(() => (search.size === 0 ? kept() : null));
  const [restored, setRestored] = useState(left === null);
  const list = useMemo(
    () => (restored || left === null ? readParams(search) : left),
    [search, restored, left],
  );
  useEffect(() => {
    if (left === null || restored) return;
    setSearch(writeParams(left), { replace: true });
    setRestored(true);
  }, [left, restored, setSearch]);
  useEffect(() => {
    if (restored) keep(list);
  }, [list, restored]);
  const change = useCallback(
    (changes: Partial<ListParams>, replace = false) => {
      setSearch((now) => writeParams({ ...readParams(now), page: 1, ...changes }), { replace });
    },
    [setSearch],
  );
  return { list, change };
}
