/** Whether times are shown in UTC or in the browser's time zone, stored in the browser. */
import { storedSetting } from '../browser/storedSetting';

export type TimeZone = 'local' | 'utc';

const setting = storedSetting<TimeZone>('tarsy-time-zone', ['local', 'utc']);

export const timeZone = setting.read;
export const setTimeZone = setting.write;
export const useTimeZone = setting.useValue;

/** Parses a date with a time and without a zone, such as `2026-11-22T10:30`; null when it is none. */
export function parseInZone(text: string, zone: TimeZone): Date | null {
  const date = new Date(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Writes a moment as the field of a date and a time has it, `2026-11-22T10:30`; empty for none. */
export function formatInZone(moment: string, zone: TimeZone): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return '';
  const offset = zone === 'utc' ? 0 : date.getTimezoneOffset();
  return new Date(date.getTime() - offset * 60_000).toISOString().slice(0, 16);
}
