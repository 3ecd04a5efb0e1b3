import { useCallback, useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useChanges } from '../../lib/useChanges';
import { readParams, writeParams, type ListChange, type ListParams } from './params';

/** localStorage key of the last filters and order. The page is not stored. */
const STORAGE_KEY = 'tarsy-list';

function save(list: ListParams): void {
  try {
    localStorage.setItem(STORAGE_KEY, writeParams({ ...list, page: 1 }).toString());
  } catch {
    // Storage is disabled: the next visit starts with the defaults.
  }
}

function restore(): ListParams | null {
  try {
    const list = readParams(new URLSearchParams(localStorage.getItem(STORAGE_KEY) ?? ''));
    return writeParams(list).size === 0 ? null : list;
  } catch {
    return null;
  }
}

/** The list parameters in the URL. A URL without parameters gets those of the last visit. */
export function useListParams() {
  const [search, setSearch] = useSearchParams();
  const [restored, setRestored] = useState(() => (search.size === 0 ? restore() : null));
  if (restored !== null && search.size > 0) setRestored(null);
  const list = useMemo(() => restored ?? readParams(search), [restored, search]);
  useEffect(() => {
    if (restored !== null) setSearch(writeParams(restored), { replace: true });
  }, [restored, setSearch]);
  useEffect(() => {
    if (restored === null) save(list);
  }, [restored, list]);
  const write = useCallback(
    (next: ListParams, replace: boolean) => setSearch(writeParams(next), { replace }),
    [setSearch],
  );
  const apply = useChanges(list, write);
  const change = useCallback(
    (requested: ListChange, replace = false) =>
      apply((current) => {
        const changes = typeof requested === 'function' ? requested(current) : requested;
        return { ...current, page: 1, ...changes };
      }, replace),
    [apply],
  );
  return { list, change };
}
