import { queryOptions } from '@tanstack/react-query';
import { getComparison } from '../../api/comparison';
import { keys } from '../../api/keys';
import {
  getSession,
  listSessions,
  noSelection,
  type SessionDetail,
  type SessionItem,
} from '../../api/sessions';

export function comparisonQuery(first: string, second: string) {
  return queryOptions({
    queryKey: keys.comparison(first, second),
    queryFn: ({ signal }) => getComparison(first, second, signal),
  });
}

/** A session that is compared; its verdict is in no comparison. */
export function comparedQuery(id: string) {
  return queryOptions({
    queryKey: keys.compared(id),
    queryFn: ({ signal }) => getSession(id, signal),
  });
}

/** Sessions that are read to find those of the same alert. */
const READ = 50;

/**
 * The other sessions of the same alert, the newest first: re-runs and replays have its title, or its fingerprint. A re-run with
 * another chain has another alert type: without a fingerprint it is found among the newest sessions.
 */
export function sameAlertQuery(session: SessionDetail) {
  return queryOptions({
    queryKey: keys.sameAlert(session.id),
    queryFn: async ({ signal }) => {
      const { fingerprint, title, alert_type: alertType } = session;
      const lists = await Promise.all([
        fingerprint === null
          ? none
          : listSessions({ ...noSelection, fingerprint, pageSize: READ }, signal),
        ...(title === null ? [] : [alertType ?? '', '']).map((type) =>
          listSessions({ ...noSelection, alertType: type, pageSize: READ }, signal),
        ),
      ]);
      const found = lists.flatMap(({ sessions }) => sessions);
      return uniqueById(found.filter((other) => other.id !== session.id && isSame(session, other)));
    },
  });
}

const none: { readonly sessions: readonly SessionItem[] } = { sessions: [] };

function isSame(session: SessionDetail, other: SessionItem): boolean {
  const sameFingerprint = session.fingerprint !== null && session.fingerprint === other.fingerprint;
  return sameFingerprint || (session.title !== null && session.title === other.title);
}

function uniqueById(sessions: readonly SessionItem[]): readonly SessionItem[] {
  const byId = new Map(sessions.map((session) => [session.id, session]));
  return [...byId.values()].toSorted((one, other) =>
    other.created_at.localeCompare(one.created_at),
  );
}
