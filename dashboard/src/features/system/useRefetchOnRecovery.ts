import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { asApiError } from '../../api/errors';
import { useBackground } from '../../lib/browser/background';
import { useLiveStatus } from '../../live/LiveProvider';
import { healthQuery } from './queries';

export function isHealthy(status: string): boolean {
  return ['healthy', 'ok', 'up', 'pass'].includes(status.toLowerCase());
}

/** Refetches the queries that failed while TARSy was unhealthy or out of reach, once it answers again. */
export function useRefetchOnRecovery(): void {
  const client = useQueryClient();
  const { data, isError } = useQuery({ ...healthQuery, enabled: useBackground() });
  const unreachable = useLiveStatus() === 'reconnecting';
  const unhealthy = unreachable || isError || (data !== undefined && !isHealthy(data.status));
  const wasUnhealthy = useRef(unhealthy);
  useEffect(() => {
    const recovered = wasUnhealthy.current && !unhealthy;
    wasUnhealthy.current = unhealthy;
    if (!recovered) return;
    void client.refetchQueries({
      type: 'active',
      predicate: ({ state: { error } }) => error !== null && asApiError(error).transient,
    });
  }, [client, unhealthy]);
}
