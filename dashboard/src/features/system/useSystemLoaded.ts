import { useQuery } from '@tanstack/react-query';
import { mcpServersQuery, servicesQuery, systemInfoQuery, warningsQuery } from './queries';

/** True once everything that the system page shows has been read, or could not be. */
export function useSystemLoaded(): boolean {
  const servers = useQuery(mcpServersQuery).isPending;
  const warnings = useQuery(warningsQuery).isPending;
  const services = useQuery(servicesQuery).isPending;
  const info = useQuery(systemInfoQuery).isPending;
  return !servers && !warnings && !services && !info;
}
