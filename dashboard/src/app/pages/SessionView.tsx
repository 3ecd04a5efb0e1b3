import { Box, Button } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  lazy,
  Suspense,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';
import { useLocation } from 'react-router';
import { useLacksToken, useMay } from '../../api/access';
import type { SessionDetail } from '../../api/sessions';
import type { ApprovalBarProps } from '../../features/approvals/ApprovalBar';
import { activeTurn } from '../../features/chat/turns';
import { ClaimsProvider } from '../../features/claims/ClaimsProvider';
import { claimsQuery } from '../../features/claims/queries';
import { AlertData } from '../../features/session/AlertData';
import { Conclusion } from '../../features/session/Conclusion';
import { FinishedNotice } from '../../features/session/FinishedNotice';
import { LiveStatus } from '../../features/session/LiveStatus';
import { SessionHeader } from '../../features/session/SessionHeader';
import { useSessionAlerts } from '../../features/received/queries';
import { seenOf } from '../../features/received/seen';
import { CallCitations } from '../../features/timeline/CallCitations';
import { TimelineSkeleton } from '../../features/timeline/TimelineSkeleton';
import { injectedLines, pendingCalls } from '../../features/timeline/pending';
import { readUnexamined } from '../../features/timeline/unexamined';
import { feedQuery, feedStartQuery, firstItems } from '../../features/timeline/queries';
import { writerOf } from '../../lib/session/agents';
import { alertTitle } from '../../lib/session/alert';
import {
  describeSession,
  describeStatus,
  isTerminal,
  type StatusDescription,
} from '../../lib/session/status';
import { focusPart } from '../../lib/browser/shortcuts';
import { describeSource } from '../../lib/session/verdict';
import { useTitle } from '../../lib/browser/useTitle';
import { useFallbackInterval, useSessionFeed } from '../../live/LiveProvider';
import type { TimelineItem } from '../../live/reduce';
import { Badge } from '../../ui/badges/Badge';
import { ErrorState } from '../../ui/notices/ErrorState';
import { ChatIcon } from '../../ui/theme/icons';
import { SideSkeleton } from '../../ui/notices/SideSkeleton';
import { PageSkipLinks, SkipLink } from '../../ui/layout/SkipLink';
import { Panel } from '../../ui/layout/Panel';
import { Column, TwoColumns, useSideBySide } from '../../ui/layout/layout';
import { useHeldEnd, withoutFindings } from './useHeldEnd';

const loadTimeline = () => import('../../features/timeline/Timeline');

/** Loads what a session shows, so that it does not begin with the session. */
export const preloadSessionParts = () => void loadTimeline();

const Timeline = lazy(async () => ({ default: (await loadTimeline()).Timeline }));

const NotExamined = lazy(async () => ({
  default: (await import('../../features/timeline/NotExamined')).NotExamined,
}));

const ApprovalBar = lazy(async () => ({
  default: (await import('../../features/approvals/ApprovalBar')).ApprovalBar,
}));

const Actions = lazy(() => import('../../features/approvals/Actions'));

const Record = lazy(async () => ({
  default: (await import('../../features/timeline/Record')).Record,
}));

const Reviewed = lazy(() => import('../../features/review/Reviewed'));

// One part with the panels beside the session: each further part is a request.
const SessionActions = lazy(async () => ({
  default: (await import('./SidePanels')).SessionActions,
}));

const SidePanels = lazy(() => import('./SidePanels'));

const TIMELINE_ID = 'timeline';

const noItems: readonly TimelineItem[] = [];
const noProgress = {};

/** True when the user comes from the submit form. */
export function useJustSubmitted(): boolean {
  const { state } = useLocation();
  return state !== null && state.submitted === true;
}

/** Refetches once when the session ends while the live channel is disconnected. */
function useFinalRefetch(live: boolean, disconnected: boolean, refetch: () => void): void {
  const wasLive = useRef(live);
  const onEnd = useEffectEvent(refetch);
  useEffect(() => {
    const ended = wasLive.current && !live;
    wasLive.current = live;
    if (ended && disconnected) onEnd();
  }, [live, disconnected]);
}

/** The timeline: read over REST, updated by the live channel, polled while that is disconnected. */
function useTimeline(session: SessionDetail, checked: boolean) {
  const client = useQueryClient();
  const live = !isTerminal(session.status) || activeTurn(session) !== undefined;
  const interval = useFallbackInterval(5000);
  const { data: start = null, isFetched } = useQuery({
    ...feedStartQuery(client, session.id),
    select: firstItems,
  });
  const feed = useQuery({
    ...feedQuery(client, session.id),
    // The first steps are shown with the checks of the texts above them: the rest does not delay these.
    enabled: isFetched && (start === null || checked),
    refetchInterval: live ? interval : false,
  });
  useFinalRefetch(live, interval !== false, () => void feed.refetch());
  useSessionFeed(session.id, feed.data !== undefined);
  return { feed, live, start };
}

type SessionTimeline = ReturnType<typeof useTimeline>;

interface SessionViewProps {
  readonly session: SessionDetail;
}

export function SessionView({ session }: SessionViewProps) {
  // How long the texts are with their checks, and what is known of the alert, decides where the timeline begins.
  const claims = useQuery(claimsQuery(session.id));
  const alerts = useSessionAlerts(session.id);
  const checked = claims.isFetched && alerts.isFetched;
  const mayAsk = useMayAsk(session);
  const timeline = useTimeline(session, checked);
  const { shown, held, revealed, reveal } = useHeldEnd(session);
  const { data } = timeline.feed;
  const items = data?.items ?? noItems;
  const shownItems = data?.items ?? timeline.start ?? noItems;
  const calls = useMemo(() => pendingCalls(items), [items]);
  const injected = useMemo(() => injectedLines(items), [items]);
  const state = describeState(session, { waits: calls.length > 0, held });
  useTitle(`${state.label}: ${alertTitle(session)}`);
  return (
    <CallCitations items={items}>
      <ClaimsProvider session={session} items={items}>
        <Box
          data-testid="session-page"
          data-status={session.status}
          data-wide={session.stages.some(
            ({ expected_agent_count: agents, executions }) => agents > 1 || executions.length > 1,
          )}
        >
          <PageSkipLinks>
            {hasTimeline(session) && <SkipLink to={TIMELINE_ID}>Skip to timeline</SkipLink>}
          </PageSkipLinks>
          <Head
            session={shown === session ? session : withoutFindings(session)}
            mayAsk={mayAsk}
            state={state}
            held={held}
            items={data?.items ?? null}
            shownItems={shownItems}
          />
          {!held && !revealed && (
            <FinishedNotice status={session.status} hasAnalysis={session.final_analysis !== null} />
          )}
          <Approval calls={calls} injected={injected} />
          {calls.length === 0 && (
            <LiveStatus
              session={session}
              progress={data?.progress ?? {}}
              onReveal={held ? reveal : null}
            />
          )}
          <Columns
            session={shown}
            items={items}
            shownItems={shownItems}
            timeline={timeline}
            checked={checked}
            alerts={alerts}
          />
        </Box>
      </ClaimsProvider>
    </CallCitations>
  );
}

/** Once a call waits, and then for what became of it. */
function Approval(props: ApprovalBarProps) {
  const [needed, setNeeded] = useState(false);
  if (!needed && props.calls.length > 0) setNeeded(true);
  if (!needed) return null;
  return (
    <Suspense fallback={null}>
      <ApprovalBar {...props} />
    </Suspense>
  );
}

/** Whether the user may ask about the session: there is a field for it. */
function useMayAsk(session: SessionDetail): boolean {
  const may = useMay('ask_question');
  const lacksToken = useLacksToken('ask_question');
  return canAsk(session) && may && !lacksToken;
}

/** An imported record was investigated elsewhere. */
const hasTimeline = ({ origin }: SessionDetail): boolean => origin !== 'recording';

function canAsk({ status, chat_enabled: enabled }: SessionDetail): boolean {
  return enabled && isTerminal(status) && status !== 'cancelled';
}

interface ColumnsProps extends SessionViewProps {
  readonly items: readonly TimelineItem[];
  /** Those that are loaded. */
  readonly shownItems: readonly TimelineItem[];
  readonly timeline: SessionTimeline;
  /** Whether the checks of the texts and the alerts of sources are loaded. */
  readonly checked: boolean;
  readonly alerts: ReturnType<typeof useSessionAlerts>;
}

function Columns(props: ColumnsProps) {
  const { session, items, shownItems, timeline, checked, alerts } = props;
  // The end of the timeline is the end of this column: on small screens the side column is below it.
  const column = useRef<HTMLDivElement>(null);
  const ended = isTerminal(session.status);
  const hasChat = canAsk(session);
  const beside = useSideBySide();
  const received = alerts.data?.pages.flatMap((page) => page.alerts) ?? [];
  const alert = <AlertData session={session} seen={seenOf(received, !alerts.hasNextPage)} />;
  return (
    <TwoColumns from="lg" sideWidthPx={hasChat ? 400 : 320}>
      <Column ref={column} waits={ended && !checked}>
        <Conclusion session={session} />
        {session.actions.length > 0 && (
          <Suspense fallback={null}>
            <Actions session={session.id} actions={session.actions} />
          </Suspense>
        )}
        <Suspense fallback={null}>
          <Reviewed session={session} />
        </Suspense>
        {ended && (
          <Suspense fallback={null}>
            <NotExamined items={shownItems} stated={session.verdict?.not_examined ?? []} />
          </Suspense>
        )}
        {!beside && alert}
        {hasTimeline(session) ? (
          <TimelinePanel session={session} timeline={timeline} container={column} />
        ) : (
          <Suspense fallback={null}>
            <Record session={session} />
          </Suspense>
        )}
      </Column>
      <SideColumn live={!ended}>
        {/* The chat suggests questions from the timeline. */}
        {timeline.feed.isPending || !alerts.isFetched ? (
          <SideSkeleton />
        ) : (
          <Suspense fallback={<SideSkeleton />}>
            <SidePanels
              session={session}
              items={items}
              hasChat={hasChat}
              alerts={alerts}
              alert={beside && alert}
            />
          </Suspense>
        )}
      </SideColumn>
    </TwoColumns>
  );
}

interface HeadProps extends SessionViewProps {
  readonly mayAsk: boolean;
  readonly state: StatusDescription;
  /** Whether the end is held back. */
  readonly held: boolean;
  /** Null until all are loaded. */
  readonly items: readonly TimelineItem[] | null;
  /** Those that are loaded. */
  readonly shownItems: readonly TimelineItem[];
}

function Head({ session, mayAsk, state, held, items, shownItems }: HeadProps) {
  const ended = isTerminal(session.status) && !held;
  const unexamined = useMemo(() => readUnexamined(shownItems).length, [shownItems]);
  return (
    <SessionHeader
      session={session}
      state={state}
      injectedStep={firstInjected(items ?? noItems)}
      primary={ended && mayAsk && <AskButton />}
      unexamined={ended ? unexamined + (session.verdict?.not_examined.length ?? 0) : 0}
    >
      <Suspense fallback={null}>
        <SessionActions session={session} ended={ended} items={items} />
      </Suspense>
    </SessionHeader>
  );
}

interface Circumstances {
  /** Whether a call waits for approval. */
  readonly waits: boolean;
  /** Whether the end is held back. */
  readonly held: boolean;
}

function describeState(session: SessionDetail, { waits, held }: Circumstances): StatusDescription {
  if (waits) return describeStatus('waiting_for_approval');
  return held ? describeStatus(session.status) : describeSession(session);
}

/** The one action that most people want: the question's field is far down on a phone. */
function AskButton() {
  return (
    <Button
      size="small"
      variant="contained"
      startIcon={<ChatIcon />}
      onClick={() => void focusPart('a')}
      data-testid="ask-button"
    >
      Ask a question
    </Button>
  );
}

function callsOf({
  llm_interaction_count: llm,
  mcp_interaction_count: mcp,
}: SessionDetail): number {
  return llm + mcp;
}

function firstInjected(items: readonly TimelineItem[]): string | null {
  return items.find(({ event_type }) => event_type === 'injected_instructions')?.id ?? null;
}

interface TimelinePanelProps extends SessionViewProps {
  readonly timeline: SessionTimeline;
  readonly container: RefObject<HTMLDivElement | null>;
}

function TimelinePanel({ session, timeline, container }: TimelinePanelProps) {
  const { feed, live, start } = timeline;
  const items = feed.data?.items ?? start;
  const justSubmitted = useJustSubmitted();
  const writer = writerOf(session.stages.flatMap(({ executions }) => executions));
  const { final_analysis, executive_summary, verdict } = session;
  const shownAbove = useMemo(
    () => ({ analysis: final_analysis, summary: executive_summary, verdict }),
    [final_analysis, executive_summary, verdict],
  );
  return (
    <Panel
      title="Timeline"
      id={TIMELINE_ID}
      shortcut="t"
      actions={
        writer && (
          <Badge
            tone="neutral"
            tooltip="Responses, reasoning and summaries"
            testId="timeline-source"
          >
            {describeSource(writer)}
          </Badge>
        )
      }
    >
      {items && (
        <Suspense fallback={<TimelineSkeleton />}>
          <Timeline
            items={items}
            pendingCalls={feed.data === undefined ? callsOf(session) : null}
            shownAbove={shownAbove}
            stages={session.stages}
            progress={feed.data?.progress ?? noProgress}
            live={live}
            follow={justSubmitted}
            container={container}
          />
        </Suspense>
      )}
      {feed.isPending && !items && <TimelineSkeleton />}
      {feed.error && !feed.data && (
        <ErrorState
          title="Could not load timeline"
          error={feed.error}
          onRetry={() => void feed.refetch()}
        />
      )}
    </Panel>
  );
}

interface SideColumnProps {
  /** Whether the status line is shown above the columns. */
  readonly live: boolean;
  readonly children: ReactNode;
}

/** A column that stays in view on wide screens, below the app bar and the status line. */
function SideColumn({ live, children }: SideColumnProps) {
  const offsetPx = live ? 50 : 24;
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: 'minmax(0, 1fr)',
        position: { lg: 'sticky' },
        top: { lg: `calc(var(--tarsy-app-bar-height) + ${offsetPx}px)` },
        maxHeight: {
          lg: `calc(100vh - var(--tarsy-app-bar-height) - var(--tarsy-notices-height) - ${offsetPx + 16}px)`,
        },
        overflowY: { lg: 'auto' },
      }}
    >
      {children}
    </Box>
  );
}
