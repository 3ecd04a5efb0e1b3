import { queryOptions } from '@tanstack/react-query';
import { getAlertTypes } from '../../api/alerts';
import { keys } from '../../api/keys';
import { getTokens } from '../../api/tokens';

export const tokensQuery = queryOptions({
  queryKey: keys.tokens,
  queryFn: ({ signal }) => getTokens(signal),
});

export const alertTypesQuery = queryOptions({
  queryKey: keys.alertTypes,
  queryFn: ({ signal }) => getAlertTypes(signal),
  staleTime: 60_000,
});
