/** Formatted times. The running ones update themselves without rendering their parents. */
import {
  elapsed,
  formatAgo,
  formatClock,
  formatDateTime,
  formatDuration,
  formatUntil,
  parseTime,
} from '../../lib/time/time';
import { useTimeZone } from '../../lib/time/timeZone';
import { useNow } from '../../lib/time/useNow';

interface ElapsedProps {
  readonly from: string | null;
  /** Null while the work is running. */
  readonly to?: string | null;
}

export function Elapsed({ from, to = null }: ElapsedProps) {
  const now = useNow(from !== null && to === null);
  return <>{formatDuration(elapsed(from, to, now))}</>;
}

interface TimestampProps {
  readonly at: string;
}

/** The time of day; the tooltip has the date. */
export function ClockTime({ at }: TimestampProps) {
  const zone = useTimeZone();
  return (
    <time dateTime={at} title={formatDateTime(at, zone)}>
      {formatClock(at, zone)}
    </time>
  );
}

interface DateTimeProps {
  /** RFC 3339; null is shown as a dash. */
  readonly at: string | null;
}

export function DateTime({ at }: DateTimeProps) {
  return <>{formatDateTime(at, useTimeZone())}</>;
}

interface RelativeTimeProps extends TimestampProps {
  readonly updateEveryMs?: number;
}

/** The age of a timestamp; the tooltip has the date. */
export function RelativeTime({ at, updateEveryMs = 1000 }: RelativeTimeProps) {
  const now = useNow(true, updateEveryMs);
  const zone = useTimeZone();
  return (
    <time dateTime={at} title={formatDateTime(at, zone)}>
      {formatAgo(at, now)}
    </time>
  );
}

interface TimeUntilProps extends TimestampProps {
  /** What is shown once the time has come. */
  readonly afterwards: string;
}

/** The time that is left; the tooltip has the date. */
export function TimeUntil({ at, afterwards }: TimeUntilProps) {
  const now = useNow(true, 30_000);
  const zone = useTimeZone();
  return (
    <time dateTime={at} title={formatDateTime(at, zone)}>
      {formatUntil(at, now) ?? afterwards}
    </time>
  );
}

interface CountdownProps {
  /** RFC 3339. */
  readonly to: string;
}

/** The minutes and seconds until a call that nobody decides is denied. */
export function Countdown({ to }: CountdownProps) {
  const now = useNow(true);
  const seconds = Math.ceil(((parseTime(to) ?? now) - now) / 1000);
  if (seconds <= 0) return <>Expired</>;
  const [minutes, rest] = [Math.floor(seconds / 60), String(seconds % 60).padStart(2, '0')];
  return <time dateTime={to}>{`Expires in ${minutes}:${rest}`}</time>;
}
