/** Whether times are shown in UTC or in the browser's time zone, stored in the browser. */
import { useSyncExternalStore } from 'react';

export type TimeZone = 'local' | 'utc';

const STORAGE_KEY = 'tarsy-time-zone';
const listeners = new Set<() => void>();

export function timeZone(): TimeZone {
  try {
    return localStorage.getItem(STORAGE_KEY) === 'utc' ? 'utc' : 'local';
  } catch {
    return 'local';
  }
}

export function setTimeZone(zone: TimeZone): void {
  try {
    localStorage.setItem(STORAGE_KEY, zone);
  } catch {
    // Storage is disabled: times stay local.
  }
  for (const listener of listeners) listener();
}

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** The time zone; the component renders again when it changes, also in another tab. */
export function useTimeZone(): TimeZone {
  return useSyncExternalStore(onChange, timeZone);
}

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
