/** Whether the browser shows notifications of this dashboard: off until a user turns them on. */
import { useSyncExternalStore } from 'react';

const STORAGE_KEY = 'tarsy-notifications';
const listeners = new Set<() => void>();

export function notificationsEnabled(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) === 'on' && isAllowed();
  } catch {
    return false;
  }
}

/** False in browsers without notifications, on plain HTTP, and until the user allows them. */
function isAllowed(): boolean {
  return 'Notification' in window && Notification.permission === 'granted';
}

/** Turns notifications on, after the browser has asked, or off. Returns whether they are as requested. */
export async function setNotificationsEnabled(enabled: boolean): Promise<boolean> {
  const allowed = !enabled || (await ask());
  try {
    localStorage.setItem(STORAGE_KEY, enabled && allowed ? 'on' : 'off');
  } catch {
    // Storage is disabled: notifications stay off.
  }
  for (const listener of listeners) listener();
  return notificationsEnabled() === enabled;
}

async function ask(): Promise<boolean> {
  if (!('Notification' in window)) return false;
  return (await Notification.requestPermission()) === 'granted';
}

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

export function useNotificationsEnabled(): boolean {
  return useSyncExternalStore(onChange, notificationsEnabled);
}
