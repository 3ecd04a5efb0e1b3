import type { SessionDetail } from '../../api/sessions';
import { RunActions } from '../../features/compare/RunActions';
import { DeleteButton } from '../../features/session/DeleteButton';
import { ScoreButton } from '../../features/scores/ScoreButton';
import { ShareButton } from '../../features/share/ShareButton';
import { ExportMenu } from '../../features/timeline/ExportMenu';
import type { TimelineItem } from '../../live/reduce';

interface SessionActionsProps {
  readonly session: SessionDetail;
  readonly ended: boolean;
  /** Null until all are loaded. */
  readonly items: readonly TimelineItem[] | null;
}

/** What is done with a session that is seldom wanted. Loaded after what is read. */
export function SessionActions({ session, ended, items }: SessionActionsProps) {
  return (
    <>
      <ExportMenu session={session} items={items} />
      {ended && session.origin === 'alert' && <ShareButton session={session} />}
      {ended && <RunActions session={session} />}
      {ended && <ScoreButton id={session.id} score={session.score} />}
      {ended && <DeleteButton id={session.id} />}
    </>
  );
}
