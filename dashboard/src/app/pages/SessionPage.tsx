import { Box } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { useParams } from 'react-router';
import { asApiError } from '../../api/errors';
import { SessionSkeleton } from '../../features/session/SessionSkeleton';
import { sessionQuery } from '../../features/session/queries';
import { useTitle } from '../../lib/browser/useTitle';
import { useFallbackInterval } from '../../live/LiveProvider';
import { EmptyState } from '../../ui/notices/EmptyState';
import { ErrorState } from '../../ui/notices/ErrorState';
import { ClockIcon } from '../../ui/theme/icons';
import { missingSession } from './NotFoundPage';
import { preloadSessionParts, SessionView, useJustSubmitted } from './SessionView';
import { SubmissionWarnings } from './SubmissionWarnings';

/** Polling interval until the session of an accepted alert is stored. */
const NOT_STORED_POLL_MS = 2000;

export function SessionPage() {
  const { id = '' } = useParams();
  const interval = useFallbackInterval(5000);
  const client = useQueryClient();
  const justSubmitted = useJustSubmitted();
  useEffect(preloadSessionParts, []);
  const { data, error, refetch } = useQuery({
    ...sessionQuery(client, id),
    refetchInterval: ({ state }) =>
      justSubmitted && state.data === undefined ? NOT_STORED_POLL_MS : interval,
  });
  const missing = missingSession(error);
  // Somebody may delete it while it is shown.
  const deleted = error !== null && asApiError(error).status === 410;
  if (data && !deleted) {
    return (
      <>
        <SubmissionWarnings />
        <SessionView key={id} session={data} />
      </>
    );
  }
  if (!error) {
    return (
      <WithoutSession>
        <SessionSkeleton />
      </WithoutSession>
    );
  }
  if (missing) return justSubmitted && !deleted ? <NotStoredYet /> : missing;
  return (
    <WithoutSession>
      <ErrorState
        page
        title={asApiError(error).title}
        error={error}
        onRetry={() => void refetch()}
      />
    </WithoutSession>
  );
}

/** Replaces the window title of the previous page while there is no session to show. */
function WithoutSession({ children }: { readonly children: ReactNode }) {
  useTitle('Session');
  return children;
}

/** Alerts are accepted while the database is unavailable; the session is stored later. */
function NotStoredYet() {
  return (
    <WithoutSession>
      <SubmissionWarnings />
      <Box role="status">
        <EmptyState icon={<ClockIcon />} title="Alert accepted" page testId="session-not-stored">
          The database is unavailable. The alert is queued, and the session appears here when it is
          stored.
        </EmptyState>
      </Box>
    </WithoutSession>
  );
}
