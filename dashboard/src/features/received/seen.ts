/** When the alerts of a session were seen. */
import type { ReceivedAlert } from '../../api/receivedAlerts';
import { describeAlertStatus } from '../../lib/session/received';
import { parseTime } from '../../lib/time/time';

export interface Seen {
  /** When the first one began; null while the oldest ones are not loaded. */
  readonly first: string | null;
  /** When a source last sent one of them. */
  readonly last: string;
  /** `Firing` as long as one of them fires; else what the newest one is. */
  readonly state: string;
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
  const fires = alerts.find(({ status }) => status === 'firing');
  const { label: state } = describeAlertStatus((fires ?? alerts[0])?.status ?? '');
  return { first: complete ? (begins[0] ?? null) : null, last, state };
}
