import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { SessionDetail } from '../../api/sessions';
import { ANALYSIS_ID, SUMMARY_ID } from '../../lib/browser/paths';
import { isTerminal } from '../../lib/session/status';

interface HeldEnd {
  /** The session; until its end is shown, without what was found, as if it still ran. */
  readonly shown: SessionDetail;
  readonly held: boolean;
  /** Whether the reader has asked for the findings. */
  readonly revealed: boolean;
  readonly reveal: () => void;
}

function watchVisibility(notify: () => void): () => void {
  document.addEventListener('visibilitychange', notify);
  return () => document.removeEventListener('visibilitychange', notify);
}

const isVisible = () => document.visibilityState === 'visible';

/** Some findings are stored before the end: all of them appear together. */
export function withoutFindings(session: SessionDetail): SessionDetail {
  return { ...session, ...noFindings };
}

const noFindings = {
  claims: null,
  degraded: false,
  degraded_reasons: [],
  review: null,
  verdict: null,
  executive_summary: null,
  executive_summary_error: null,
  final_analysis: null,
};

/**
 * Holds back what appears above the timeline when a session ends while somebody reads it, until they ask for it: all that they
 * read would move. A page that nobody sees shows it at once.
 */
export function useHeldEnd(session: SessionDetail): HeldEnd {
  const ended = isTerminal(session.status);
  const [running, setRunning] = useState(ended ? null : session.status);
  if (!ended && running !== session.status) setRunning(session.status);
  const [state, setState] = useState<'held' | 'shown' | 'revealed'>('held');
  const held = ended && running !== null && state === 'held';
  const isSeen = useSyncExternalStore(watchVisibility, isVisible);
  if (held && !isSeen) setState('shown');
  useEffect(() => {
    if (state !== 'revealed') return;
    const findings = document.getElementById(SUMMARY_ID) ?? document.getElementById(ANALYSIS_ID);
    findings?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  }, [state]);
  const shown = useMemo(
    () =>
      ended && !held ? session : { ...withoutFindings(session), status: running ?? session.status },
    [session, ended, held, running],
  );
  return {
    shown,
    held,
    revealed: state === 'revealed',
    reveal: () => setState('revealed'),
  };
}
