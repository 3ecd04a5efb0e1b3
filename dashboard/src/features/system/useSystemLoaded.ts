import { useQuery } from '@tanstack/react-query';
import { systemInfoQuery } from '../../api/system';
import { mcpServersQuery, servicesQuery, systemStateQuery, warningsQuery } from './queries';

/** True once everything that the system page shows has been read, or could not be. */
export function useSystemLoaded(): boolean {
  const servers = useQuery(mcpServersQuery).isFetched;
  const warnings = useQuery(warningsQuery).isFetched;
  const services = useQuery(servicesQuery).isFetched;
  const state = useQuery(systemStateQuery).isFetched;
  const info = useQuery(systemInfoQuery).isFetched;
  return [servers, warnings, services, state, info].every(Boolean);
}
