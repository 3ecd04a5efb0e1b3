import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { submitAlert, type AlertSubmission } from '../../api/alerts';

/** 128 random bits as hex; `crypto.randomUUID` is missing on plain HTTP. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** Sending the same alert again after a lost answer finds the first session, not a second one. */
export function useSubmit(onDone: (sessionId: string) => void, onRefused: () => void) {
  const sent = useRef({ body: '', key: '' });
  return useMutation({
    mutationFn: (alert: AlertSubmission) => {
      const body = JSON.stringify(alert);
      if (sent.current.body !== body) sent.current = { body, key: randomKey() };
      return submitAlert(alert, sent.current.key);
    },
    onSuccess: (answer) => onDone(answer.session_id),
    onError: onRefused,
  });
}
