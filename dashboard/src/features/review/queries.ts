import { queryOptions } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { getReviews } from '../../api/reviews';
import { listSessions, noSelection, type SessionDetail } from '../../api/sessions';

export function reviewsQuery(session: string) {
  return queryOptions({
    queryKey: keys.reviews(session),
    queryFn: ({ signal }) => getReviews(session, signal),
  });
}

/** Earlier sessions that the session page lists. */
export const EARLIER_SHOWN = 10;

/** The sessions before this one whose alert has the same fingerprint, the newest first. */
export function earlierQuery({ id, fingerprint, created_at: createdAt }: SessionDetail) {
  return queryOptions({
    queryKey: keys.earlier(id),
    queryFn: async ({ signal }) => {
      const query = { ...noSelection, fingerprint: fingerprint ?? '', until: createdAt };
      // One more: the page of the API may begin with the session itself.
      const { sessions } = await listSessions({ ...query, pageSize: EARLIER_SHOWN + 1 }, signal);
      return sessions.filter((session) => session.id !== id).slice(0, EARLIER_SHOWN);
    },
  });
}
