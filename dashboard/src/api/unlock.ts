/**
 * The token of a start of TARSy on this machine. The address that `tarsy up` and `tarsy open` print carries it to this
 * browser, which exchanges it for a cookie and a key. Independent of React.
 */
import { endpoints } from '../lib/browser/paths';
import { z } from './zod';

const FRAGMENT = '#token=';
const STORED = 'tarsy-page-key';
const NAME = 'tarsy-name';
const unlocked = z.object({ csrf_token: z.string() });

/** Exchanges the token in the address, if it has one, and removes it from there. */
export async function unlockFromAddress(): Promise<void> {
  if (!location.hash.startsWith(FRAGMENT)) return;
  const token = decodeURIComponent(location.hash.slice(FRAGMENT.length));
  history.replaceState(history.state, '', location.pathname + location.search);
  try {
    const response = await fetch(endpoints.unlock, {
      method: 'POST',
      headers: { Accept: 'application/json', Authorization: `Bearer ${token}` },
      credentials: 'same-origin',
    });
    const key = unlocked.safeParse(await response.json());
    if (response.ok && key.success) localStorage.setItem(STORED, key.data.csrf_token);
  } catch {
    // Unreachable, or without storage: the page says what it cannot do where it would.
  }
}

/** What requests carry beside the cookie. Other ports of this machine are sent the cookie, too, but cannot read this. */
export function pageKeyHeaders(): Readonly<Record<string, string>> {
  try {
    const key = localStorage.getItem(STORED);
    if (key === null) return {};
    const name = ownName();
    return { 'X-CSRF-Token': key, ...(name && { 'X-Tarsy-User': encodeURIComponent(name) }) };
  } catch {
    return {};
  }
}

/** How the user of this browser wants to be called, where nobody signs in; empty if that was not said. */
export function ownName(): string {
  try {
    return localStorage.getItem(NAME) ?? '';
  } catch {
    return '';
  }
}

export const setOwnName = (name: string): void => localStorage.setItem(NAME, name);
