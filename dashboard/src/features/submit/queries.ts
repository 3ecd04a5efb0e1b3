import { queryOptions } from '@tanstack/react-query';
import { getAlertTypes, getExampleAlerts } from '../../api/alerts';
import { keys } from '../../api/keys';

export const alertTypesQuery = queryOptions({
  queryKey: keys.alertTypes,
  queryFn: ({ signal }) => getAlertTypes(signal),
  staleTime: 60_000,
});

export const exampleAlertsQuery = queryOptions({
  queryKey: keys.exampleAlerts,
  queryFn: ({ signal }) => getExampleAlerts(signal),
  staleTime: 60_000,
});
