import { Box, Link, Skeleton, Typography } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link as RouterLink, useParams } from 'react-router';
import { asApiError } from '../../api/errors';
import { sessionQuery } from '../../features/session/queries';
import { traceQuery } from '../../features/trace/queries';
import { TraceTree } from '../../features/trace/TraceTree';
import { shortId } from '../../lib/format';
import { pages } from '../../lib/paths';
import { isTerminal } from '../../lib/status';
import { useTitle } from '../../lib/useTitle';
import { useFallbackInterval, useTraceFeed } from '../../live/LiveProvider';
import { ErrorState } from '../../ui/ErrorState';
import { StatusChip } from '../../ui/StatusChip';
import { NotFoundPage } from './NotFoundPage';

/** What models and tools were asked and answered, call by call. */
export function TracePage() {
  const { id = '' } = useParams();
  useTraceFeed(id);
  const client = useQueryClient();
  const refetchInterval = useFallbackInterval(5000);
  const session = useQuery({ ...sessionQuery(client, id), refetchInterval });
  const alert = session.data?.alert_type;
  useTitle(alert ? `Trace: ${alert}` : 'Trace');
  const over = session.data !== undefined && isTerminal(session.data.status);
  const trace = useQuery({ ...traceQuery(id), refetchInterval: over ? false : refetchInterval });
  const error = trace.data ? null : trace.error;
  if (error && asApiError(error).status === 404) {
    return (
      <NotFoundPage title="There is no such session">
        It may have been deleted, or the address is not complete.
      </NotFoundPage>
    );
  }
  const status = session.data?.status;
  return (
    <>
      <Box component="header" sx={{ mb: 2 }}>
        <Typography
          component="nav"
          aria-label="Where this page is"
          sx={{ fontSize: '0.8125rem', mb: 0.5 }}
        >
          <Link component={RouterLink} to={pages.sessions} underline="always">
            Sessions
          </Link>
          <Slash />
          <Link
            component={RouterLink}
            to={pages.session(id)}
            underline="always"
            data-testid="to-session"
          >
            Session {shortId(id)}
          </Link>
          <Slash />
          <span aria-current="page">Trace</span>
        </Typography>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1.5 }}>
          <Typography component="h1" variant="h1" sx={{ overflowWrap: 'anywhere' }}>
            Trace of {alert ?? 'the session'}
          </Typography>
          {status !== undefined && (
            <StatusChip status={status} size="medium" testId="session-status" />
          )}
        </Box>
        <Typography sx={{ color: 'text.secondary', mt: 0.5 }}>
          What models and tools were asked, and what they answered, call by call.
        </Typography>
      </Box>
      {trace.data && (
        <TraceTree
          key={id}
          session={id}
          trace={trace.data}
          live={status === undefined || !isTerminal(status)}
        />
      )}
      {trace.isPending && (
        <Box role="status" aria-label="Loading the trace" data-testid="trace-skeleton">
          <Skeleton variant="rounded" height={120} sx={{ mb: 2 }} />
          <Skeleton variant="rounded" height={240} />
        </Box>
      )}
      {error && (
        <ErrorState
          title="The trace could not be loaded"
          message={asApiError(error).message}
          onRetry={() => void trace.refetch()}
        />
      )}
    </>
  );
}

function Slash() {
  return (
    <Box component="span" aria-hidden sx={{ color: 'text.secondary', mx: 0.75 }}>
      /
    </Box>
  );
}
