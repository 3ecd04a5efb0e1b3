/** Notices that a user has dismissed, stored in the browser, so that they stay dismissed after a reload. */
import { useMemo, useSyncExternalStore } from 'react';
import { parseJson } from '../text/json';

const STORAGE_KEY = 'tarsy-dismissed';

/** The oldest are forgotten: each is a short text, and storage is limited. */
const MAX_DISMISSALS = 100;

const listeners = new Set<() => void>();

function stored(): string {
  try {
    return localStorage.getItem(STORAGE_KEY) ?? '';
  } catch {
    return '';
  }
}

function parse(text: string): readonly string[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function store(notices: readonly string[]): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(notices.slice(-MAX_DISMISSALS)));
  } catch {
    // Storage is disabled: the notice is shown again.
  }
  for (const listener of listeners) listener();
}

export function dismiss(notices: readonly string[]): void {
  store([...new Set([...parse(stored()), ...notices])]);
}

/** Forgets the dismissed notices with a prefix that are not among `current`: they are shown when they come again. */
export function forgetEnded(prefix: string, current: readonly string[]): void {
  const all = parse(stored());
  const kept = all.filter((notice) => !notice.startsWith(prefix) || current.includes(notice));
  if (kept.length < all.length) store(kept);
}

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

export function useDismissed(): ReadonlySet<string> {
  const text = useSyncExternalStore(onChange, stored);
  return useMemo(() => new Set(parse(text)), [text]);
}
