import { Button } from '@mui/material';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useLacksToken, useMay } from '../../api/access';
import { asApiError } from '../../api/errors';
import { keys } from '../../api/keys';
import { cancelSession, type SessionDetail } from '../../api/sessions';
import { isTerminal } from '../../lib/session/status';
import { Notification } from '../../ui/notices/Notification';
import { StopIcon } from '../../ui/theme/icons';
import { TraceId } from '../../ui/text/TraceId';

const ConfirmCancel = lazy(() => import('./ConfirmCancel'));

/**
 * Cancels the session after a confirmation. Hidden once the session has ended, and from users who may not; who only lacks the
 * token of the start is told so by the answer.
 */
export function CancelButton({ session }: { readonly session: SessionDetail }) {
  const [confirming, setConfirming] = useState(false);
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => cancelSession(session.id),
    onSettled: () => client.invalidateQueries({ queryKey: keys.detail(session.id) }),
  });
  const mayCancel = useMay('cancel_session');
  const lacksToken = useLacksToken('cancel_session');
  const ended = isTerminal(session.status) || !(mayCancel || lacksToken);
  const cancelling =
    !ended && (session.status === 'cancelling' || cancel.isPending || cancel.isSuccess);

  function confirm(): void {
    setConfirming(false);
    cancel.mutate();
  }

  return (
    <>
      {!ended && (
        <Button
          variant="outlined"
          color="error"
          size="small"
          startIcon={<StopIcon />}
          disabled={cancelling}
          onClick={() => setConfirming(true)}
          data-testid="cancel-session"
        >
          {cancelling ? 'Cancelling…' : 'Cancel'}
        </Button>
      )}
      {confirming && (
        <Suspense fallback={null}>
          <ConfirmCancel onClose={() => setConfirming(false)} onConfirm={confirm} />
        </Suspense>
      )}
      <CancelError error={cancel.error} onClose={cancel.reset} />
    </>
  );
}

interface CancelErrorProps {
  readonly error: unknown;
  readonly onClose: () => void;
}

function CancelError({ error, onClose }: CancelErrorProps) {
  if (!error) return null;
  const { status, message } = asApiError(error);
  const alreadyEnded = status === 409;
  return (
    <Notification
      severity={alreadyEnded ? 'info' : 'error'}
      onClose={onClose}
      testId="cancel-error"
    >
      {alreadyEnded ? 'The session has already ended.' : `Cancel failed: ${message}`}
      <TraceId error={error} />
    </Notification>
  );
}
