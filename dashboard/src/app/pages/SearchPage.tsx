import { Skeleton } from '@mui/material';
import { lazy, Suspense } from 'react';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';

const Search = lazy(async () => ({
  default: (await import('../../features/search/Search')).Search,
}));

export function SearchPage() {
  useTitle('Search');
  const loading = <Skeleton variant="rounded" height={480} role="status" aria-label="Loading" />;
  return (
    <>
      <PageHeading title="Search">
        Alerts, findings, tool calls and chats of all sessions.
      </PageHeading>
      <Suspense fallback={loading}>
        <Search />
      </Suspense>
    </>
  );
}
