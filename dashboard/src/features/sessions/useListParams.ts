import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { readParams, writeParams, type ListParams } from './params';

export function useListParams() {
  const [search, setSearch] = useSearchParams();
  const list = useMemo(() => readParams(search), [search]);
  const change = useCallback(
    (changes: Partial<ListParams>, replace = false) => {
      setSearch((now) => writeParams({ ...readParams(now), page: 1, ...changes }), { replace });
    },
    [setSearch],
  );
  return { list, change };
}
