import { queryOptions } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { getSchedules } from '../../api/schedules';

/** Runs begin and end without an event for this page. */
const REFRESH_MS = 15_000;

export const schedulesQuery = queryOptions({
  queryKey: keys.schedules,
  queryFn: ({ signal }) => getSchedules(signal),
  refetchInterval: REFRESH_MS,
});
