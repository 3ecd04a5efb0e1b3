import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { getSession, type SessionDetail } from '../../api/sessions';
import { mergeDetail } from '../../live/detail';

/** The session over REST, merged into what the live channel has already told. */
export function sessionQuery(client: QueryClient, id: string) {
  return queryOptions({
    queryKey: keys.detail(id),
    queryFn: async ({ signal }) => {
      const fresh = await getSession(id, signal);
      return mergeDetail(client.getQueryData<SessionDetail>(keys.detail(id)), fresh);
    },
  });
}
