import type { SessionDetail } from '../../api/sessions';
import { ChatPanel } from '../../features/chat/ChatPanel';
import { BudgetPanel } from '../../features/session/BudgetPanel';
import { DetailsPanel } from '../../features/session/DetailsPanel';
import { StageProgress } from '../../features/session/StageProgress';
import { openPoints } from '../../features/timeline/unexamined';
import type { TimelineItem } from '../../live/reduce';

interface SidePanelsProps {
  readonly session: SessionDetail;
  readonly items: readonly TimelineItem[];
  readonly hasChat: boolean;
}

/** The panels beside the findings: chat, stages, budget and details. */
export default function SidePanels({ session, items, hasChat }: SidePanelsProps) {
  return (
    <>
      {hasChat && <ChatPanel session={session} items={items} openPoints={openPoints(items)} />}
      <StageProgress session={session} />
      <BudgetPanel budget={session.budget} />
      <DetailsPanel session={session} />
    </>
  );
}
