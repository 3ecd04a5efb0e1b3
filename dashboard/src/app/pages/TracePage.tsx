import { Box, Link, Skeleton, Typography } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { Link as RouterLink, useParams } from 'react-router';
import type { SessionDetail } from '../../api/sessions';
import { sessionQuery } from '../../features/session/queries';
import { traceQuery } from '../../features/trace/queries';
import { alertTitle } from '../../lib/session/alert';
import { showBidiControls } from '../../lib/text/bidi';
import { shortId } from '../../lib/text/format';
import { pages } from '../../lib/browser/paths';
import { isTerminal } from '../../lib/session/status';
import { useTitle } from '../../lib/browser/useTitle';
import { useFallbackInterval, useTraceFeed } from '../../live/LiveProvider';
import { CopyLink } from '../../ui/text/CopyLink';
import { ErrorState } from '../../ui/notices/ErrorState';
import { StatusChip } from '../../ui/badges/StatusChip';
import { missingSession } from './NotFoundPage';

const loadTree = () => import('../../features/trace/TraceTree');
const preloadTree = () => void loadTree();

const TraceTree = lazy(async () => ({ default: (await loadTree()).TraceTree }));

/** Every LLM and tool call of a session. */
export function TracePage() {
  const { id = '' } = useParams();
  const { session, waiting, trace } = useTrace(id);
  // It is needed with the trace, which takes longer.
  useEffect(preloadTree, []);
  useTitle(session ? `Trace: ${alertTitle(session)}` : 'Trace');
  const error = trace.data ? null : trace.error;
  const missing = missingSession(error);
  if (missing) return missing;
  // Its title may take several lines: what is below would move.
  if (waiting) return <TraceSkeleton />;
  return (
    <>
      <TraceHeader id={id} session={session} />
      {trace.data && (
        <Suspense fallback={<TraceSkeleton />}>
          <TraceTree
            key={id}
            session={id}
            trace={trace.data}
            live={session === undefined || !isTerminal(session.status)}
          />
        </Suspense>
      )}
      {trace.isPending && <TraceSkeleton />}
      {error && (
        <ErrorState
          title="Could not load trace"
          error={error}
          onRetry={() => void trace.refetch()}
        />
      )}
    </>
  );
}

function TraceSkeleton() {
  return (
    <Box role="status" aria-label="Loading trace" data-testid="trace-skeleton">
      <Skeleton variant="rounded" height={120} sx={{ mb: 2 }} />
      <Skeleton variant="rounded" height={240} />
    </Box>
  );
}

/**
 * The session and its trace, polled while the live channel is disconnected. The trace is read after the session, so that it
 * has all events up to the last one of the session.
 */
function useTrace(id: string) {
  const client = useQueryClient();
  const refetchInterval = useFallbackInterval(5000);
  const { data: session, isPending } = useQuery({ ...sessionQuery(client, id), refetchInterval });
  useTraceFeed(id, !isPending);
  const ended = session !== undefined && isTerminal(session.status);
  const trace = useQuery({
    ...traceQuery(id),
    enabled: !isPending,
    refetchInterval: ended ? false : refetchInterval,
  });
  return { session, waiting: isPending, trace };
}

interface TraceHeaderProps {
  /** Session id. */
  readonly id: string;
  readonly session: SessionDetail | undefined;
}

function TraceHeader({ id, session }: TraceHeaderProps) {
  return (
    <Box component="header" sx={{ mb: 2 }}>
      <Breadcrumb id={id} />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1.5 }}>
        <Typography component="h1" variant="h1" sx={{ overflowWrap: 'anywhere' }}>
          {session ? (
            <>
              Trace: <bdi>{showBidiControls(alertTitle(session))}</bdi>
            </>
          ) : (
            'Trace'
          )}
        </Typography>
        {session && <StatusChip status={session.status} size="medium" testId="session-status" />}
        <CopyLink page={pages.trace(id)} to="the trace" />
      </Box>
      <Typography sx={{ color: 'text.secondary', mt: 0.5 }}>
        Every LLM and tool call with its request and response.
      </Typography>
    </Box>
  );
}

function Breadcrumb({ id }: { readonly id: string }) {
  return (
    <Typography component="nav" aria-label="Breadcrumb" sx={{ fontSize: '0.8125rem', mb: 0.5 }}>
      <Link component={RouterLink} to={pages.sessions} underline="always">
        Sessions
      </Link>
      <Separator />
      <Link
        component={RouterLink}
        to={pages.session(id)}
        underline="always"
        data-testid="session-link"
      >
        Session {shortId(id)}
      </Link>
      <Separator />
      <span aria-current="page">Trace</span>
    </Typography>
  );
}

function Separator() {
  return (
    <Box component="span" aria-hidden sx={{ color: 'text.secondary', mx: 0.75 }}>
      /
    </Box>
  );
}
