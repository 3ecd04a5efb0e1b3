/** Sessions of one alert, as one row of the list. */
import type { SessionItem } from '../../api/sessions';

export interface Row {
  readonly session: SessionItem;
  /** Those below it that have its fingerprint, in the order of the list. */
  readonly repeats: readonly SessionItem[];
}

/** The first session of each fingerprint, with the others of the same list. */
export function foldRepeats(sessions: readonly SessionItem[]): readonly Row[] {
  const repeats = new Map<string, SessionItem[]>();
  const rows: Row[] = [];
  for (const session of sessions) {
    const { fingerprint } = session;
    const known = fingerprint === null ? undefined : repeats.get(fingerprint);
    if (known) {
      known.push(session);
      continue;
    }
    const own: SessionItem[] = [];
    if (fingerprint !== null) repeats.set(fingerprint, own);
    rows.push({ session, repeats: own });
  }
  return rows;
}
