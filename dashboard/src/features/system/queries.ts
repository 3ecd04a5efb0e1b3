import { queryOptions } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import {
  getHealth,
  getMcpServers,
  getServices,
  getSystemState,
  getWarnings,
} from '../../api/system';

const REFRESH_MS = 15_000;

export const warningsQuery = queryOptions({
  queryKey: keys.warnings,
  queryFn: ({ signal }) => getWarnings(signal),
  refetchInterval: REFRESH_MS,
});

export const mcpServersQuery = queryOptions({
  queryKey: keys.mcpServers,
  queryFn: ({ signal }) => getMcpServers(signal),
  refetchInterval: REFRESH_MS,
});

export const servicesQuery = queryOptions({
  queryKey: keys.services,
  queryFn: ({ signal }) => getServices(signal),
  refetchInterval: REFRESH_MS,
});

export const systemStateQuery = queryOptions({
  queryKey: keys.systemState,
  queryFn: ({ signal }) => getSystemState(signal),
  refetchInterval: REFRESH_MS,
});

export const healthQuery = queryOptions({
  queryKey: keys.health,
  queryFn: ({ signal }) => getHealth(signal),
  refetchInterval: 30_000,
  retry: false,
});
