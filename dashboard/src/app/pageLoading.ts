/** Whether the code of a page is being loaded. */
import { useSyncExternalStore } from 'react';

let loading = 0;
const listeners = new Set<() => void>();

function change(by: number): void {
  loading += by;
  for (const listener of listeners) listener();
}

/** Loading begins while a component renders, when no other one may be updated. */
export async function trackLoading<T>(page: Promise<T>): Promise<T> {
  queueMicrotask(() => change(1));
  try {
    return await page;
  } finally {
    queueMicrotask(() => change(-1));
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePageLoading(): boolean {
  return useSyncExternalStore(subscribe, () => loading > 0);
}
