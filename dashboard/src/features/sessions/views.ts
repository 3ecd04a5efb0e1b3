/** Filters of the list that a user saved under a name, stored in the browser. */
import { useSyncExternalStore } from 'react';
import { list, text } from '../../api/fields';
import { z } from '../../api/zod';
import { parseJson } from '../../lib/json';

export interface View {
  readonly name: string;
  /** The query string of the list. */
  readonly query: string;
}

const STORAGE_KEY = 'tarsy-views';
/** What fits a menu. */
export const MAX_VIEWS = 20;
export const MAX_NAME = 60;

const stored = list(z.object({ name: text, query: text }));
const listeners = new Set<() => void>();
let raw = '';
let views: readonly View[] = [];

/** The same list until it changes. */
export function readViews(): readonly View[] {
  const latest = readStorage();
  if (latest !== raw) {
    raw = latest;
    const parsed = stored.safeParse(parseJson(latest));
    views = parsed.success ? parsed.data : [];
  }
  return views;
}

function readStorage(): string {
  try {
    return localStorage.getItem(STORAGE_KEY) ?? '';
  } catch {
    return '';
  }
}

function write(changed: readonly View[]): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(changed));
  } catch {
    // Storage is disabled or full: the views stay as they were.
  }
  for (const listener of listeners) listener();
}

/** Adds a view, or replaces the one with its name. */
export function saveView(view: View): void {
  const others = readViews().filter(({ name }) => name !== view.name);
  write([...others, view].slice(-MAX_VIEWS));
}

export function deleteView(name: string): void {
  write(readViews().filter((view) => view.name !== name));
}

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

export function useViews(): readonly View[] {
  return useSyncExternalStore(onChange, readViews);
}
