import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { keys } from '../api/keys';
import { isSignedOut, onSignInChange } from '../api/signIn';
import { useWake } from '../live/LiveProvider';
import { onSignInAnnounced } from './signInWindow';

/** Whether the sign-in ended while the page is open. Asks again when a user may have signed in elsewhere. */
export function useSignedOut(): boolean {
  const signedOut = useSyncExternalStore(onSignInChange, isSignedOut);
  const client = useQueryClient();
  useEffect(() => {
    const ask = () => void client.refetchQueries({ queryKey: keys.me });
    const stop = onSignInAnnounced(ask);
    if (signedOut) window.addEventListener('focus', ask);
    return () => {
      stop();
      window.removeEventListener('focus', ask);
    };
  }, [client, signedOut]);
  useContinue(signedOut);
  return signedOut;
}

/** After a new sign-in, reads what is shown again and reconnects. */
function useContinue(signedOut: boolean): void {
  const client = useQueryClient();
  const wake = useWake();
  const wasSignedOut = useRef(signedOut);
  useEffect(() => {
    const continues = wasSignedOut.current && !signedOut;
    wasSignedOut.current = signedOut;
    if (!continues) return;
    wake();
    void client.refetchQueries({ type: 'active' });
  }, [client, wake, signedOut]);
}
