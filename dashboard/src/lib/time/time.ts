import type { TimeZone } from './timeZone';

/** Parses an RFC 3339 timestamp to milliseconds since the epoch; smaller fractions are dropped. */
export function parseTime(text: string | null | undefined): number | null {
  if (!text) return null;
  const millis = Date.parse(text.replace(/(\.\d{3})\d+/, '$1'));
  return Number.isNaN(millis) ? null : millis;
}

/** Formats milliseconds: `840 ms`, `12 s`, `3 m 05 s`, `2 h 10 m`. */
export function formatDuration(millis: number | null | undefined): string {
  if (millis === null || millis === undefined || millis < 0) return '–';
  if (millis < 1000) return `${Math.round(millis)} ms`;
  if (millis < 10_000) return `${(Math.floor(millis / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(millis / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${pad(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${pad(minutes % 60)} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

const dateTime = {
  year: 'numeric',
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
} as const;

const clock = {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const;

const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const day = { month: 'short', day: 'numeric' } as const;

function formatsIn(timeZone: string | undefined) {
  return {
    hour: new Intl.DateTimeFormat(undefined, { ...hour, timeZone }),
    day: new Intl.DateTimeFormat(undefined, { ...day, timeZone }),
    dateTime: new Intl.DateTimeFormat(undefined, { ...dateTime, timeZone }),
    clock: new Intl.DateTimeFormat(undefined, { ...clock, timeZone }),
  };
}

const formats = { local: formatsIn(undefined), utc: formatsIn('UTC') };

export function formatDateTime(text: string | null | undefined, zone: TimeZone): string {
  const millis = parseTime(text);
  return millis === null ? '–' : formats[zone].dateTime.format(millis);
}

export function formatClock(text: string | null | undefined, zone: TimeZone): string {
  const millis = parseTime(text);
  return millis === null ? '' : formats[zone].clock.format(millis);
}

/** Formats a moment on the axis of a chart: its day or its hour. */
export function formatTick(millis: number, daily: boolean, zone: TimeZone): string {
  return daily ? formats[zone].day.format(millis) : formats[zone].hour.format(millis);
}

/** Formats the age of a timestamp in one unit. */
export function formatAgo(text: string | null | undefined, now: number): string {
  const millis = parseTime(text);
  if (millis === null) return '–';
  const seconds = Math.max(0, Math.round((now - millis) / 1000));
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** Formats the time that is left in one unit; null when there is none. */
export function formatUntil(text: string | null | undefined, now: number): string | null {
  const millis = parseTime(text);
  if (millis === null || millis <= now) return null;
  const minutes = Math.ceil((millis - now) / 60_000);
  if (minutes < 60) return `in ${minutes} min`;
  if (minutes < 48 * 60) return `in ${Math.floor(minutes / 60)} h`;
  return `in ${Math.floor(minutes / 1440)} d`;
}

/** Milliseconds from start to completion, or to `now` while there is no completion. */
export function elapsed(
  startedAt: string | null | undefined,
  completedAt: string | null | undefined,
  now: number,
): number | null {
  const start = parseTime(startedAt);
  if (start === null) return null;
  return Math.max(0, (parseTime(completedAt) ?? now) - start);
}
