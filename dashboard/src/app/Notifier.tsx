import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useNavigate } from 'react-router';
import { meQuery } from '../api/access';
import { getSession, type SessionDetail } from '../api/sessions';
import { alertTitle } from '../lib/alert';
import { firstLine } from '../lib/format';
import { pages } from '../lib/paths';
import { describeStatus } from '../lib/status';
import { startEndFeed } from '../live/endFeed';
import { useLiveSocket } from '../live/LiveProvider';

/** Notifies the user, while the page is not in view, of the end of the sessions that they submitted. */
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
  return null;
}

function show(session: SessionDetail, onOpen: () => void): void {
  const { id, status, executive_summary: summary } = session;
  const notification = new Notification(`${describeStatus(status).label}: ${alertTitle(session)}`, {
    body: firstLine(summary ?? session.error_message ?? ''),
    tag: id,
  });
  notification.addEventListener('click', () => {
    window.focus();
    notification.close();
    onOpen();
  });
}
