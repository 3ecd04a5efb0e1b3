import { Box, Button, Link, Skeleton, Typography } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Link as RouterLink, useParams } from 'react-router';
import { ClaimsProvider } from '../../features/claims/ClaimsProvider';
import { claimsQuery } from '../../features/claims/queries';
import { sessionQuery } from '../../features/session/queries';
import { feedQuery } from '../../features/timeline/queries';
import { alertTitle } from '../../lib/session/alert';
import { showBidiControls } from '../../lib/text/bidi';
import { pages } from '../../lib/browser/paths';
import { useTitle } from '../../lib/browser/useTitle';
import { CopyLink } from '../../ui/text/CopyLink';
import { LoadState } from '../../ui/notices/LoadState';
import { missingSession } from './NotFoundPage';

/** With the renderer of its texts: without it their height changes. */
const Report = lazy(async () => {
  const [{ Report: component }] = await Promise.all([
    import('../../features/timeline/Report'),
    import('../../ui/markdown/MarkdownBody'),
  ]);
  return { default: component };
});

/** The report of a session, laid out for paper. */
export function ReportPage() {
  const { id = '' } = useParams();
  const client = useQueryClient();
  const session = useQuery(sessionQuery(client, id));
  const feed = useQuery({ ...feedQuery(client, id), enabled: session.data !== undefined });
  // How long the texts are with their marks decides where the evidence begins.
  const claims = useQuery({ ...claimsQuery(id), enabled: session.data !== undefined });
  const title = `Report: ${alertTitle(session.data ?? {})}`;
  useTitle(title);
  const missing = missingSession(session.error);
  if (missing) return missing;
  return (
    <>
      <Box className="no-print" sx={{ display: 'flex', alignItems: 'center', gap: 2, mb: 2 }}>
        <Link component={RouterLink} to={pages.session(id)}>
          Back to session
        </Link>
        <Button variant="contained" size="small" onClick={() => window.print()}>
          Print
        </Button>
        <CopyLink page={pages.report(id)} to="the report" />
      </Box>
      <Typography component="h1" variant="h1" sx={{ mb: 2, overflowWrap: 'anywhere' }}>
        Report: <bdi>{showBidiControls(alertTitle(session.data ?? {}))}</bdi>
      </Typography>
      <LoadState query={session.error ? session : feed} noun="the report" heightPx={240} />
      {session.data && feed.data && claims.isFetched && (
        <Suspense fallback={<Skeleton variant="rounded" height={240} />}>
          <ClaimsProvider session={session.data} items={feed.data.items}>
            <Report session={session.data} items={feed.data.items} />
          </ClaimsProvider>
        </Suspense>
      )}
    </>
  );
}
