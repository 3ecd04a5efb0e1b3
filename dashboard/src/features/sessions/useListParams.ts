import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useChanges } from '../../lib/browser/useChanges';
import { readParams, writeParams, type ListChange, type ListParams } from './params';

/** The list parameters in the URL. A URL without parameters lists everything: filters are kept as views, not by surprise. */
export function useListParams() {
  const [search, setSearch] = useSearchParams();
  const list = useMemo(() => readParams(search), [search]);
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
