/** The small window in which a user signs in again while the page stays as it is. */
import { addressOf, endpoints, pages } from '../lib/browser/paths';

/** Pages of the same origin hear of a sign-in here; the window has no opener after it was at the issuer. */
const CHANNEL = 'tarsy-sign-in';

/** Where a user signs in, to return to a path. */
export function signInUrl(returnTo: string): string {
  return `${endpoints.signIn}?return_to=${encodeURIComponent(returnTo)}`;
}

/** A proxy signs its users in on every page. */
export function openSignInWindow(mode: string): void {
  const url = mode === 'oidc' ? signInUrl(pages.signedIn) : addressOf(pages.signedIn);
  window.open(url, CHANNEL, 'popup,width=560,height=720');
}

export function announceSignIn(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('signed in');
  channel.close();
}

export function onSignInAnnounced(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', listener);
  return () => channel.close();
}
