import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/errors';

/** Retries transient failures twice; other errors are final. */
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
