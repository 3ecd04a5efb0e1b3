/** When the alerts of a session were seen. */
import type { ReceivedAlert } from '../../api/receivedAlerts';
import { parseTime } from '../../lib/time';

export interface Seen {
  /** When the first one began; null while the oldest ones are not loaded. */
  readonly first: string | null;
  /** When a source last sent one of them. */
  readonly last: string;
}

/** Null without alerts of sources. */
export function seenOf(alerts: readonly ReceivedAlert[], complete: boolean): Seen | null {
  const inOrder = (times: readonly string[]) =>
    times
      .filter((time) => parseTime(time) !== null)
      .toSorted((one, other) => (parseTime(one) ?? 0) - (parseTime(other) ?? 0));
  const begins = inOrder(alerts.map(({ starts_at, received_at }) => starts_at ?? received_at));
  const last = inOrder(
    alerts.flatMap(({ received_at, last_received_at }) => [received_at, last_received_at]),
  ).at(-1);
  if (last === undefined) return null;
  return { first: complete ? (begins[0] ?? null) : null, last };
}
