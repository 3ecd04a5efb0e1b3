import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import type { SessionDetail } from '../../api/sessions';
import { changeTriage, triageQuery, type TriageChange } from '../../api/triage';

/** Changes the state of work on a session. The page shows it once the server has accepted it. */
export function useTriage(session: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: TriageChange) => changeTriage(session, change),
    onSuccess: (changed) => {
      client.setQueryData(triageQuery(session).queryKey, changed);
      const { triage, assignee } = changed;
      client.setQueryData<SessionDetail>(keys.detail(session), (detail) =>
        detail ? { ...detail, triage, assignee, triage_entries: changed.entries.length } : detail,
      );
      void client.invalidateQueries({ queryKey: keys.histories });
    },
    // Another person may have been faster: the page shows who.
    onError: () => void client.invalidateQueries({ queryKey: keys.detail(session) }),
  });
}
