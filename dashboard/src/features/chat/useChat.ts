import { useMutation, useQueryClient } from '@tanstack/react-query';
import { askQuestion } from '../../api/chat';
import { keys } from '../../api/keys';
import { cancelSession } from '../../api/sessions';

/** Asking and stopping; either way the session is read again, for it knows what is answered. */
export function useChat(sessionId: string, onTaken: () => void) {
  const client = useQueryClient();
  const readAgain = () => client.invalidateQueries({ queryKey: keys.detail(sessionId) });
  const ask = useMutation({
    mutationFn: (content: string) => askQuestion(sessionId, content),
    onSuccess: onTaken,
    onSettled: readAgain,
  });
  const stop = useMutation({
    mutationFn: (_turn: string) => cancelSession(sessionId),
    onSettled: readAgain,
  });
  return { ask, stop };
}
