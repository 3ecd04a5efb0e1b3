import type { SessionDetail } from '../../api/sessions';
import { isTerminal } from '../../lib/status';
import { ReviewPanel } from './ReviewPanel';
import { SeenBefore } from './SeenBefore';

/** What people know of this problem and think of the finding. */
export default function Reviewed({ session }: { readonly session: SessionDetail }) {
  return (
    <>
      <SeenBefore session={session} />
      {isTerminal(session.status) && <ReviewPanel key={session.id} session={session} />}
    </>
  );
}
