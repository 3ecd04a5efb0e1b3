import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { readParams, writeParams, type ListChange, type ListParams } from './params';

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
    const list = readParams(new URLSearchParams(localStorage.getItem(KEPT) ?? ''));
    return writeParams(list).size === 0 ? null : list;
  } catch {
    return null;
  }
}

export function useListParams() {
  const [search, setSearch] = useSearchParams();
  // An address that says nothing of its own shows the list as it was left, until it says so itself.
  const [left, setLeft] = useState(() => (search.size === 0 ? kept() : null));
  if (left !== null && search.size > 0) setLeft(null);
  const list = useMemo(() => left ?? readParams(search), [left, search]);
  useEffect(() => {
    if (left !== null) setSearch(writeParams(left), { replace: true });
  }, [left, setSearch]);
  useEffect(() => {
    if (left === null) keep(list);
  }, [left, list]);
  // A change may follow another before the address of the first one is drawn.
  const latest = useRef(list);
  useEffect(() => {
    latest.current = list;
  }, [list]);
  const change = useCallback(
    (wanted: ListChange, replace = false) => {
      const now = latest.current;
      const changes = typeof wanted === 'function' ? wanted(now) : wanted;
      latest.current = { ...now, page: 1, ...changes };
      setSearch(writeParams(latest.current), { replace });
    },
    [setSearch],
  );
  return { list, change };
}
