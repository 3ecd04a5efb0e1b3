import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { asApiError } from '../../api/errors';
import { healthQuery } from './queries';

export function isWell(status: string): boolean {
  return ['healthy', 'ok', 'up', 'pass'].includes(status.toLowerCase());
}

/** What could not be read while TARSy was not well is read again when it is. */
export function useHealing(): void {
  const client = useQueryClient();
  const { data, isError } = useQuery(healthQuery);
  const unwell = isError || (data !== undefined && !isWell(data.status));
  const wasUnwell = useRef(unwell);
  useEffect(() => {
    const healed = wasUnwell.current && !unwell;
    wasUnwell.current = unwell;
    if (!healed) return;
    void client.refetchQueries({
      type: 'active',
      predicate: ({ state: { error } }) => error !== null && asApiError(error).transient,
    });
  }, [client, unwell]);
}
