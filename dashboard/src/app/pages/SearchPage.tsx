import { Link, Skeleton } from '@mui/material';
import { lazy, Suspense } from 'react';
import { Link as RouterLink } from 'react-router';
import { pages } from '../../lib/browser/paths';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';

const Search = lazy(async () => ({
  default: (await import('../../features/search/Search')).Search,
}));

export function SearchPage() {
  useTitle('Search');
  const loading = <Skeleton variant="rounded" height={480} role="status" aria-label="Loading" />;
  return (
    <>
      <PageHeading title="Search">
        Alerts, findings, tool calls and chats of all sessions. What reviews confirmed is among the{' '}
        <Link component={RouterLink} to={pages.memories}>
          memories
        </Link>
        .
      </PageHeading>
      <Suspense fallback={loading}>
        <Search />
      </Suspense>
    </>
  );
}
