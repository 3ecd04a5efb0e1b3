import { Box } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useRef, useState, type ReactNode } from 'react';
import { useLocation, useParams } from 'react-router';
import { asApiError } from '../../api/errors';
import type { SessionDetail } from '../../api/sessions';
import { ChatPanel } from '../../features/chat/ChatPanel';
import { openTurn } from '../../features/chat/turns';
import { AlertData } from '../../features/session/AlertData';
import { Conclusion } from '../../features/session/Conclusion';
import { FinishedNotice } from '../../features/session/FinishedNotice';
import { LiveStatusLine } from '../../features/session/LiveStatusLine';
import { BudgetMeter } from '../../features/session/BudgetMeter';
import { SessionFacts } from '../../features/session/SessionFacts';
import { SessionHeader } from '../../features/session/SessionHeader';
import { SessionSkeleton } from '../../features/session/SessionSkeleton';
import { StageProgress } from '../../features/session/StageProgress';
import { sessionQuery } from '../../features/session/queries';
import { CallCitations } from '../../features/timeline/CallCitations';
import { createSwitchReader } from '../../features/timeline/groups';
import { Timeline, TimelineSkeleton } from '../../features/timeline/Timeline';
import { feedQuery } from '../../features/timeline/queries';
import { describeStatus, isTerminal } from '../../lib/status';
import { useTitle } from '../../lib/useTitle';
import { useFallbackInterval, useSessionFeed } from '../../live/LiveProvider';
import type { TimelineItem } from '../../live/reduce';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { ClockIcon } from '../../ui/icons';
import { Panel } from '../../ui/Panel';
import { NotFoundPage } from './NotFoundPage';

const nothing: readonly TimelineItem[] = [];

/** How often a session that was just submitted is looked for. */
const WAITING_MS = 2000;

export function SessionPage() {
  const { id = '' } = useParams();
  const interval = useFallbackInterval(5000);
  const client = useQueryClient();
  const submitted = useSubmitted();
  const { data, error, refetch } = useQuery({
    ...sessionQuery(client, id),
    refetchInterval: ({ state: { data: known } }) =>
      submitted && known === undefined ? WAITING_MS : interval,
  });
  if (data) return <LoadedSession key={id} session={data} />;
  if (!error) {
    return (
      <NoSession>
        <SessionSkeleton />
      </NoSession>
    );
  }
  const { status, title, message } = asApiError(error);
  if (status === 404 && submitted) return <NotStoredYet />;
  if (status === 404) {
    return (
      <NotFoundPage title="There is no such session">
        It may have been deleted, or the address is not complete.
      </NotFoundPage>
    );
  }
  return (
    <NoSession>
      <ErrorState page title={title} message={message} onRetry={() => void refetch()} />
    </NoSession>
  );
}

/** Until a session is shown, the window is not named after the page before. */
function NoSession({ children }: { readonly children: ReactNode }) {
  useTitle('Session');
  return children;
}

/** Whether the reader comes from the form, having just submitted this alert. */
function useSubmitted(): boolean {
  const { state } = useLocation();
  return state !== null && state.submitted === true;
}

/** Reads once more when all is over while the live channel was away. */
function useLastLook(live: boolean, away: boolean, read: () => void): void {
  const wasLive = useRef(live);
  const last = useEffectEvent(read);
  useEffect(() => {
    const ended = wasLive.current && !live;
    wasLive.current = live;
    if (ended && away) last();
  }, [live, away]);
}

/** An alert is taken in also while the database is away; its session comes a little later. */
function NotStoredYet() {
  return (
    <NoSession>
      <Box role="status">
        <EmptyState icon={<ClockIcon />} title="The alert is taken in" page testId="not-stored-yet">
          It is kept safely until the database is back. The session appears here by itself.
        </EmptyState>
      </Box>
    </NoSession>
  );
}

function LoadedSession({ session }: { readonly session: SessionDetail }) {
  const { label } = describeStatus(session.status);
  useTitle(`${label}: ${session.alert_type ?? 'Alert'}`);
  const client = useQueryClient();
  const live = !isTerminal(session.status) || openTurn(session) !== undefined;
  const submitted = useSubmitted();
  const interval = useFallbackInterval(5000);
  const away = interval !== false;
  const feed = useQuery({
    ...feedQuery(client, session.id),
    refetchInterval: live ? interval : false,
  });
  useLastLook(live, away, () => void feed.refetch());
  useSessionFeed(session.id, feed.data !== undefined);
  const items = feed.data?.items ?? nothing;
  // In a narrow window the stages and facts stand below it.
  const column = useRef<HTMLDivElement>(null);
  const [readSwitches] = useState(createSwitchReader);
  const above = isTerminal(session.status) ? 24 : 50;
  const providers = useMemo(() => readSwitches(items), [readSwitches, items]);
  return (
    <CallCitations items={items}>
      <Box data-testid="session-page" data-status={session.status}>
        <SessionHeader session={session} />
        <FinishedNotice status={session.status} analysed={session.final_analysis !== null} />
        <LiveStatusLine session={session} progress={feed.data?.progress ?? {}} />
        <Box
          sx={{
            display: 'grid',
            gap: 2,
            alignItems: 'start',
            gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) 320px' },
          }}
        >
          <Box ref={column} sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
            <Conclusion session={session} />
            <AlertData session={session} />
            <Panel title="Timeline">
              {feed.data && (
                <Timeline
                  items={feed.data.items}
                  stages={session.stages}
                  progress={feed.data.progress}
                  live={live}
                  follow={submitted}
                  place={column}
                />
              )}
              {feed.isPending && <TimelineSkeleton />}
              {feed.error && !feed.data && (
                <ErrorState
                  title="The timeline could not be loaded"
                  message={asApiError(feed.error).message}
                  onRetry={() => void feed.refetch()}
                />
              )}
            </Panel>
            {session.chat_enabled &&
              isTerminal(session.status) &&
              session.status !== 'cancelled' && <ChatPanel session={session} />}
          </Box>
          <Box
            sx={{
              display: 'grid',
              gap: 2,
              gridTemplateColumns: 'minmax(0, 1fr)',
              position: { lg: 'sticky' },
              top: { lg: `calc(var(--tarsy-bar) + ${above}px)` },
              maxHeight: { lg: `calc(100vh - var(--tarsy-bar) - ${above + 16}px)` },
              overflowY: { lg: 'auto' },
            }}
          >
            <StageProgress session={session} providers={providers} />
            <BudgetMeter budget={session.budget} />
            <SessionFacts session={session} />
          </Box>
        </Box>
      </Box>
    </CallCitations>
  );
}
