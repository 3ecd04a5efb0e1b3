/** The values of filters that are in use. */
import { queryOptions } from '@tanstack/react-query';
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { list, text } from './fields';
import { keys } from './keys';
import { z } from './zod';

const filterOptions = z.object({
  alert_types: list(text),
  chain_ids: list(text),
  /** Who has taken or done sessions. */
  assignees: list(text),
});

export const filterOptionsQuery = queryOptions({
  queryKey: keys.filterOptions,
  queryFn: ({ signal }) => request(filterOptions, endpoints.filterOptions, { signal }),
  staleTime: 60_000,
});
