/** Whether the server knows who uses this page, and the token that changes must carry. Independent of React. */

/** The close code of a WebSocket whose sign-in or token ended. */
export const CREDENTIAL_ENDED = 4401;

type Listener = () => void;

const listeners = new Set<Listener>();
let signedOut = false;
let csrfToken: string | null = null;

function setSignedOut(value: boolean): void {
  if (signedOut === value) return;
  signedOut = value;
  for (const listener of listeners) listener();
}

/** True after a request or the WebSocket was refused because nobody is signed in. */
export const isSignedOut = (): boolean => signedOut;

export function onSignInChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const reportSignedOut = (): void => setSignedOut(true);

/** Reports that the server knows the user; `token` is what their changes must carry, if anything. */
export function reportSignedIn(token: string | null): void {
  csrfToken = token;
  setSignedOut(false);
}

/** The headers of a change. */
export function csrfHeaders(): Readonly<Record<string, string>> {
  return csrfToken === null ? {} : { 'X-CSRF-Token': csrfToken };
}
