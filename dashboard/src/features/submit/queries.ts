import { queryOptions } from '@tanstack/react-query';
import { getAlertTypes, getExampleAlerts, getRunbooks } from '../../api/alerts';
import { keys } from '../../api/keys';
import { getMcpServers } from '../../api/system';

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

export const toolServersQuery = queryOptions({
  queryKey: keys.mcpServers,
  queryFn: ({ signal }) => getMcpServers(signal),
  staleTime: 60_000,
});

/** Not retried: without the list, any URL can be entered. */
export const runbooksQuery = queryOptions({
  queryKey: keys.runbooks,
  queryFn: ({ signal }) => getRunbooks(signal),
  staleTime: 60_000,
  retry: false,
});
