/** Filters that a user saved under a name, stored in the browser. */
import { useSyncExternalStore } from 'react';
import { parseJson } from '../text/json';

export interface View {
  readonly name: string;
  /** The query string of the page. */
  readonly query: string;
}

/** The saved views of one page. */
export interface ViewStore {
  /** The same list until it changes. */
  readonly read: () => readonly View[];
  readonly subscribe: (listener: () => void) => () => void;
  /** Adds a view, or replaces the one with its name. */
  readonly save: (view: View) => void;
  readonly remove: (name: string) => void;
}

/** What fits a menu. */
export const MAX_VIEWS = 20;
export const MAX_NAME = 60;

function isView(value: unknown): value is View {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof fields.name === 'string' && typeof fields.query === 'string';
}

function parse(text: string): readonly View[] {
  const parsed = parseJson(text);
  return Array.isArray(parsed) && parsed.every(isView) ? parsed : [];
}

/** Views under a key of the browser's storage. */
export function viewStore(key: string): ViewStore {
  const listeners = new Set<() => void>();
  let raw = '';
  let views: readonly View[] = [];

  function readStorage(): string {
    try {
      return localStorage.getItem(key) ?? '';
    } catch {
      return '';
    }
  }

  function read(): readonly View[] {
    const latest = readStorage();
    if (latest !== raw) {
      raw = latest;
      views = parse(latest);
    }
    return views;
  }

  function write(changed: readonly View[]): void {
    try {
      localStorage.setItem(key, JSON.stringify(changed));
    } catch {
      // Storage is disabled or full: the views stay as they were.
    }
    for (const listener of listeners) listener();
  }

  return {
    read,
    subscribe(listener) {
      listeners.add(listener);
      window.addEventListener('storage', listener);
      return () => {
        listeners.delete(listener);
        window.removeEventListener('storage', listener);
      };
    },
    save(view) {
      const others = read().filter(({ name }) => name !== view.name);
      write([...others, view].slice(-MAX_VIEWS));
    },
    remove(name) {
      write(read().filter((view) => view.name !== name));
    },
  };
}

export function useViews(store: ViewStore): readonly View[] {
  return useSyncExternalStore(store.subscribe, store.read);
}
