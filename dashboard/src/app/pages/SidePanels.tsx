import type { ReactNode } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { ChatPanel } from '../../features/chat/ChatPanel';
import type { useSessionAlerts } from '../../features/received/queries';
import { SessionAlerts } from '../../features/received/SessionAlerts';
import { BudgetPanel } from '../../features/session/BudgetPanel';
import { DependenciesPanel } from '../../features/session/DependenciesPanel';
import { DetailsPanel } from '../../features/session/DetailsPanel';
import { StageProgress } from '../../features/session/StageProgress';
import { openPoints } from '../../features/timeline/unexamined';
import { TriagePanel } from '../../features/triage/TriagePanel';
import type { TimelineItem } from '../../live/reduce';

export { SessionActions } from './SessionActions';

interface SidePanelsProps {
  readonly session: SessionDetail;
  readonly items: readonly TimelineItem[];
  readonly hasChat: boolean;
  readonly alerts: ReturnType<typeof useSessionAlerts>;
  /** The alert, where it is beside the findings. */
  readonly alert: ReactNode;
}

/** The panels beside the findings: chat, work of people, alert, alerts of sources, stages, budget and details. */
export default function SidePanels(props: SidePanelsProps) {
  const { session, items, hasChat, alerts, alert } = props;
  return (
    <>
      {hasChat && (
        <ChatPanel
          session={session}
          items={items}
          openPoints={openPoints(items, session.verdict)}
        />
      )}
      <TriagePanel session={session} />
      {alert}
      <SessionAlerts alerts={alerts} />
      <StageProgress session={session} />
      <DependenciesPanel dependencies={session.dependencies} />
      <BudgetPanel budget={session.budget} />
      <DetailsPanel session={session} />
    </>
  );
}
