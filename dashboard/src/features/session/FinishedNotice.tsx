import { lazy, Suspense, useState } from 'react';
import { isTerminal } from '../../lib/session/status';

const FinishedNoticeBody = lazy(() => import('./FinishedNoticeBody'));

interface FinishedNoticeProps {
  readonly status: string;
  /** Whether the session has a final analysis. */
  readonly hasAnalysis: boolean;
}

/** Notifies a user who watched a running session of its end and links to the final analysis. */
export function FinishedNotice({ status, hasAnalysis }: FinishedNoticeProps) {
  const [wasRunning] = useState(!isTerminal(status));
  const [closed, setClosed] = useState(false);
  if (!wasRunning || !hasAnalysis || !isTerminal(status) || closed) return null;
  return (
    <Suspense fallback={null}>
      <FinishedNoticeBody status={status} onClose={() => setClosed(true)} />
    </Suspense>
  );
}
