import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/errors';

/** A refusal is final; a server that did not answer is asked twice more. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => failures < 2 && error instanceof ApiError && error.transient,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
