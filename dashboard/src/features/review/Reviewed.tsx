import type { SessionDetail } from '../../api/sessions';
import { isTerminal } from '../../lib/session/status';
import { Changes } from './Changes';
import { ReviewPanel } from './ReviewPanel';
import { SeenBefore } from './SeenBefore';

/** What changed before the alert, what people know of this problem, and what they think of the finding. */
export default function Reviewed({ session }: { readonly session: SessionDetail }) {
  const { status, origin, review, final_analysis: analysis, verdict } = session;
  const parts = [review, analysis, verdict];
  // A session that ended before it found anything has nothing to review.
  const found =
    (status === 'completed' && origin !== 'recording') || parts.some((part) => part !== null);
  return (
    <>
      <Changes session={session} />
      <SeenBefore session={session} />
      {isTerminal(status) && found && <ReviewPanel key={session.id} session={session} />}
    </>
  );
}
