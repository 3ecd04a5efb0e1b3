import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { saveReview, type Reviews } from '../../api/reviews';
import type { SessionDetail } from '../../api/sessions';
import { toRequest, type ReviewDraft } from './draft';

/** Saves a review. The page shows it once the server has accepted it. */
export function useSaveReview(session: string, onSaved: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (draft: ReviewDraft) => saveReview(session, toRequest(draft)),
    onSuccess: (saved) => {
      client.setQueryData<Reviews>(keys.reviews(session), (before) => ({
        review: saved,
        history: before?.review ? [before.review, ...before.history] : (before?.history ?? []),
      }));
      client.setQueryData<SessionDetail>(keys.detail(session), (detail) =>
        detail ? { ...detail, review: saved.review } : detail,
      );
      void client.invalidateQueries({ queryKey: keys.reviews(session) });
      void client.invalidateQueries({ queryKey: keys.histories });
      onSaved();
    },
  });
}
