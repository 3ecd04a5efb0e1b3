import { Notification } from '../../ui/notices/Notification';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { asApiError } from '../../api/errors';
import { keys } from '../../api/keys';
import { revokeToken, type ApiToken } from '../../api/tokens';

export interface Revocation {
  /** The token whose revocation is to be confirmed. */
  readonly candidate: ApiToken | null;
  readonly request: (token: ApiToken) => void;
  readonly cancel: () => void;
  readonly confirm: (token: ApiToken) => void;
  readonly notice: string | null;
  readonly failed: boolean;
  readonly dismiss: () => void;
}

/** The confirmation and the outcome of a revocation; `onRevoked` runs once the list is current. */
export function useRevocation(onRevoked: () => void): Revocation {
  const client = useQueryClient();
  const [candidate, setCandidate] = useState<ApiToken | null>(null);
  const revoke = useMutation({
    mutationFn: ({ id }: ApiToken) => revokeToken(id),
    onSettled: () => client.invalidateQueries({ queryKey: keys.tokens }),
    onSuccess: onRevoked,
  });
  return {
    candidate,
    request: setCandidate,
    cancel: () => setCandidate(null),
    confirm(token) {
      setCandidate(null);
      revoke.mutate(token);
    },
    notice: describe(revoke.variables?.name ?? '', revoke.isSuccess, revoke.error),
    failed: revoke.isError,
    dismiss: revoke.reset,
  };
}

function describe(name: string, done: boolean, error: unknown): string | null {
  if (done) return `${name} is revoked.`;
  if (!error) return null;
  const { status, message } = asApiError(error);
  return status === 404 ? `${name} was not valid any more.` : `${name} is not revoked: ${message}`;
}

export function RevokedNotice({ revocation }: { readonly revocation: Revocation }) {
  const { notice, failed, dismiss } = revocation;
  if (notice === null) return null;
  return (
    <Notification
      severity={failed ? 'error' : 'success'}
      onClose={dismiss}
      testId="revocation-notice"
    >
      {notice}
    </Notification>
  );
}
