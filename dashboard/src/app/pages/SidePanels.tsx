import type { SessionDetail } from '../../api/sessions';
import { ChatPanel } from '../../features/chat/ChatPanel';
import { useSessionAlerts } from '../../features/received/queries';
import { SessionAlerts } from '../../features/received/SessionAlerts';
import { BudgetPanel } from '../../features/session/BudgetPanel';
import { DetailsPanel } from '../../features/session/DetailsPanel';
import { StageProgress } from '../../features/session/StageProgress';
import { openPoints } from '../../features/timeline/unexamined';
import type { TimelineItem } from '../../live/reduce';
import { SideSkeleton } from '../../ui/SideSkeleton';

interface SidePanelsProps {
  readonly session: SessionDetail;
  readonly items: readonly TimelineItem[];
  readonly hasChat: boolean;
}

/** The panels beside the findings: chat, alerts of sources, stages, budget and details. */
export default function SidePanels({ session, items, hasChat }: SidePanelsProps) {
  const alerts = useSessionAlerts(session.id);
  if (!alerts.isFetched) return <SideSkeleton />;
  return (
    <>
      {hasChat && (
        <ChatPanel
          session={session}
          items={items}
          openPoints={openPoints(items, session.verdict)}
        />
      )}
      <SessionAlerts alerts={alerts} />
      <StageProgress session={session} />
      <BudgetPanel budget={session.budget} />
      <DetailsPanel session={session} />
    </>
  );
}
