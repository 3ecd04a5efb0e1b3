import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { submitAlert, type AlertSubmission } from '../../api/alerts';
import { randomKey } from '../../lib/browser/randomKey';

/** Submits an alert. Resending an unchanged one reuses its idempotency key, so it creates no second session. */
export function useSubmit(
  onAccepted: (sessionId: string, warnings: readonly string[]) => void,
  onRejected: () => void,
) {
  const last = useRef({ body: '', key: '' });
  return useMutation({
    mutationFn: (alert: AlertSubmission) => {
      const body = JSON.stringify(alert);
      if (last.current.body !== body) last.current = { body, key: randomKey() };
      return submitAlert(alert, last.current.key);
    },
    onSuccess: ({ session_id: id, warnings }) => onAccepted(id, warnings),
    onError: onRejected,
  });
}
