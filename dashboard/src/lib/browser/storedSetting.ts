/** A choice that the browser stores, the same in all tabs. */
import { useSyncExternalStore } from 'react';

export interface StoredSetting<T extends string> {
  readonly read: () => T;
  readonly write: (value: T) => void;
  /** The component renders again when the value changes, also in another tab. */
  readonly useValue: () => T;
}

/** The first value is the default: where the browser stores nothing, and while another one is not usable. */
export function storedSetting<T extends string>(
  key: string,
  values: readonly [T, ...T[]],
  isUsable: () => boolean = () => true,
): StoredSetting<T> {
  const listeners = new Set<() => void>();

  function read(): T {
    try {
      const stored = localStorage.getItem(key);
      return values.find((value) => value === stored && isUsable()) ?? values[0];
    } catch {
      return values[0];
    }
  }

  function write(value: T): void {
    try {
      localStorage.setItem(key, value);
    } catch {
      // Storage is disabled: the default stays.
    }
    for (const listener of listeners) listener();
  }

  function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    window.addEventListener('storage', listener);
    return () => {
      listeners.delete(listener);
      window.removeEventListener('storage', listener);
    };
  }

  return { read, write, useValue: () => useSyncExternalStore(subscribe, read) };
}
