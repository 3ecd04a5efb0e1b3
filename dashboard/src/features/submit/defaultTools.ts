import { useQuery } from '@tanstack/react-query';
import type { AlertTypes } from '../../api/alerts';
import { keys } from '../../api/keys';
import { getDefaultTools } from '../../api/system';
import { alertTypesQuery } from './queries';

/** The first type that works, if the default does not and none is selected. */
export function findReplacement(types: AlertTypes | undefined, selected: string) {
  if (selected !== '' || types === undefined) return undefined;
  const { alert_types: all, default_alert_type: standard } = types;
  const fails = all.some(({ type, problem }) => type === standard && problem !== null);
  return fails ? all.find(({ problem }) => problem === null)?.type : undefined;
}

/** What the chain of a type uses; asked for once the types are known, one of which may be selected instead. */
export function useDefaultTools(alertType: string) {
  const { data, isPending } = useQuery(alertTypesQuery);
  const enabled = alertType !== '' || !(isPending || findReplacement(data, alertType));
  return useQuery({
    queryKey: keys.defaultTools(alertType),
    queryFn: ({ signal }) => getDefaultTools(alertType, signal),
    staleTime: 60_000,
    enabled,
  });
}
