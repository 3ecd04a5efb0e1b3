import { useMutation, useQueryClient } from '@tanstack/react-query';
import { askQuestion } from '../../api/chat';
import { keys } from '../../api/keys';
import { cancelSession } from '../../api/sessions';

/** Mutations that ask a question and stop an answer. Both refetch the session, which has the turns. */
export function useChat(sessionId: string, onAccepted: () => void) {
  const client = useQueryClient();
  const refetchSession = () => client.invalidateQueries({ queryKey: keys.detail(sessionId) });
  const ask = useMutation({
    mutationFn: (content: string) => askQuestion(sessionId, content),
    onSuccess: onAccepted,
    onSettled: refetchSession,
  });
  const stop = useMutation({
    mutationFn: (_turnId: string) => cancelSession(sessionId),
    onSettled: refetchSession,
  });
  return { ask, stop };
}
