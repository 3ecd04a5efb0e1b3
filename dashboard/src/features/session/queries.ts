import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { getSession, type SessionDetail } from '../../api/sessions';
import { mergeDetail } from '../../live/detail';

/** Reads the session over REST and merges it into the state from the live channel. */
export function sessionQuery(client: QueryClient, id: string) {
  return queryOptions({
    queryKey: keys.detail(id),
    queryFn: async ({ signal }) => {
      const loaded = await getSession(id, signal);
      return mergeDetail(client.getQueryData<SessionDetail>(keys.detail(id)), loaded);
    },
  });
}
