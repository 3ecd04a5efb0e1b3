import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useNavigate } from 'react-router';
import { meQuery, useMay } from '../api/access';
import { readInjected, readPlan } from '../api/actions';
import type { WaitingCall } from '../api/approvals';
import { getSession, type SessionDetail } from '../api/sessions';
import { alertTitle, placeParts } from '../lib/session/alert';
import { whyFailed } from '../lib/session/failure';
import { showBidiControls } from '../lib/text/bidi';
import { firstLine, joinParts } from '../lib/text/format';
import { formatUntil } from '../lib/time/time';
import { pages } from '../lib/browser/paths';
import { approvalsQuery } from '../features/approvals/queries';
import { describeSession, findingLine } from '../lib/session/status';
import { startEndFeed } from '../live/endFeed';
import { useLiveSocket } from '../live/LiveProvider';

/** Notifies the user, while the page is not in view, of the end of the sessions that they submitted, and of calls that wait for approval. */
export default function Notifier() {
  const socket = useLiveSocket();
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);

  const handleEnd = useEffectEvent(async (id: string) => {
    if (document.visibilityState === 'visible') return;
    const session = await getSession(id).catch(() => null);
    const isOwn = me?.mode === 'local' || session?.author === me?.name;
    if (session === null || !isOwn) return;
    show(session, () => void navigate(pages.session(id)));
  });
  useEffect(() => startEndFeed(socket, (id) => void handleEnd(id)), [socket]);
  useApprovalNotices((id) => void navigate(pages.session(id)));
  return null;
}

/** Those that begin to wait while the page is open; each once. */
function useApprovalNotices(onOpen: (session: string) => void): void {
  const mayDecide = useMay('approve_call');
  const { data } = useQuery({
    ...approvalsQuery,
    enabled: mayDecide,
    refetchIntervalInBackground: true,
  });
  const known = useRef<ReadonlySet<string> | null>(null);
  const report = useEffectEvent((call: WaitingCall) => {
    const title = `Approval needed: ${alertTitle(call)}`;
    notify({ title, body: askedFor(call), tag: call.id }, () => onOpen(call.session_id));
  });
  useEffect(() => {
    if (data === undefined) return;
    const before = known.current;
    known.current = new Set(data.approvals.map(({ id }) => id));
    if (before === null || document.visibilityState === 'visible') return;
    for (const call of data.approvals) if (!before.has(call.id)) report(call);
  }, [data]);
}

/** What a person has to know of a call before they open the page: tool, alert, effect, and how long they have. */
function askedFor(call: WaitingCall): string {
  const { severity, action, reason, injected, expires_at: expires } = call;
  const about = joinParts([severity, ...placeParts(call)]);
  const left = formatUntil(expires, Date.now());
  const lines = [
    `${call.server_name}.${call.tool_name}`,
    about,
    firstLine(readPlan(action)?.effect ?? reason ?? ''),
    readInjected(injected) === null ? '' : 'Text in a result may have asked for it.',
    left === null ? '' : `Expires ${left}`,
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function show(session: SessionDetail, onOpen: () => void): void {
  const title = `${describeSession(session).label}: ${alertTitle(session)}`;
  const lines = [found(session) ?? firstLine(whyFailed(session) ?? ''), nextStep(session)];
  const body = lines.filter((line) => line !== '').join('\n');
  notify({ title, body, tag: session.id }, onOpen);
}

/** The cause with its confidence, else what became of the alert, else the summary; null without any. */
function found({ finding, executive_summary: summary }: SessionDetail): string | null {
  if (finding === null) return summary === null ? null : firstLine(summary);
  const line = firstLine(findingLine(finding));
  return finding.outcome === 'cause_found' ? `${line} (${finding.confidence} confidence)` : line;
}

function nextStep({ verdict }: SessionDetail): string {
  const step = verdict?.next_steps[0] ?? '';
  return step === '' ? '' : `Next step: ${firstLine(step)}`;
}

interface Notice {
  readonly title: string;
  readonly body: string;
  /** A later one with the same tag takes its place. */
  readonly tag: string;
}

function notify({ title, body, tag }: Notice, onOpen: () => void): void {
  const options = { body: showBidiControls(body), tag };
  const notification = new Notification(showBidiControls(title), options);
  notification.addEventListener('click', () => {
    window.focus();
    notification.close();
    onOpen();
  });
}
