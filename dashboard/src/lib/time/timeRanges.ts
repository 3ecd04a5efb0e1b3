/** The ranges of time that lists are filtered by. */

/** Hours back from now, or two moments. */
export interface TimeRange {
  /** 0 for no bound, or for two moments. */
  readonly hours: number;
  /** RFC 3339; empty for no bound. */
  readonly since: string;
  readonly until: string;
}

/** Hours back; 0 for no bound. */
export const RANGES = [
  { hours: 0, label: 'Any time' },
  { hours: 1, label: 'Last hour' },
  { hours: 6, label: 'Last 6 hours' },
  { hours: 24, label: 'Last 24 hours' },
  { hours: 24 * 7, label: 'Last 7 days' },
  { hours: 24 * 30, label: 'Last 30 days' },
] as const;

/** Whether the time is between two moments, instead of hours back from now. */
export function isBetween({ since, until }: TimeRange): boolean {
  return since !== '' || until !== '';
}

/** The range in the query string of a URL. */
export function readTimeRange(params: URLSearchParams): TimeRange {
  const hours = Number(params.get('hours') ?? '0');
  const since = readMoment(params.get('from'), 'T00:00:00');
  const until = readMoment(params.get('to'), 'T23:59:59.999');
  const known = RANGES.find((range) => range.hours === hours)?.hours ?? 0;
  return { hours: since !== '' || until !== '' ? 0 : known, since, until };
}

/** A moment; a date alone is a day in local time. */
function readMoment(text: string | null, timeOfDay: string): string {
  if (text === null) return '';
  const moment = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}${timeOfDay}` : text);
  return Number.isNaN(moment) ? '' : new Date(moment).toISOString();
}

/** Its parameters in a URL; empty ones are left out. */
export function writeTimeRange({ hours, since, until }: TimeRange) {
  return { hours: hours === 0 ? '' : String(hours), from: since, to: until } as const;
}
