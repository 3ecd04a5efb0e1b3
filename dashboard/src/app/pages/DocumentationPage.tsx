/** A page of the documentation, in the version of this dashboard: it needs no other server. */
import { Paper, Skeleton } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useParams } from 'react-router';
import { useTitle } from '../../lib/browser/useTitle';
import { ErrorState } from '../../ui/notices/ErrorState';
import { PageHeading } from '../../ui/layout/PageHeading';
import { NotFoundPage } from './NotFoundPage';

const DocumentBody = lazy(() => import('../../ui/markdown/DocumentBody'));

const ROOT = '../../../../docs/';
const files = import.meta.glob<string>(
  [
    '../../../../docs/*.md',
    '../../../../docs/{contracts,install,intake,notifications}/*.md',
    '!**/SUMMARY.md',
  ],
  { query: '?raw', import: 'default' },
);

const fileOf = (page: string) => `${ROOT}${page}.md`;

export function DocumentationPage() {
  const { '*': page = '' } = useParams();
  useTitle('Documentation');
  const load = files[fileOf(page)];
  const { data, error } = useQuery({
    queryKey: ['documentation', page],
    queryFn: () => load?.() ?? '',
    enabled: load !== undefined,
    staleTime: Infinity,
  });
  const loading = <Skeleton variant="rounded" height={600} />;
  if (load === undefined) return <NotFoundPage title="No such page of the documentation" />;
  if (error) return <ErrorState page title="Could not load the documentation" error={error} />;
  if (data === undefined) return loading;
  return (
    <>
      <PageHeading title="Documentation" />
      <Paper component="article" variant="outlined" data-testid="documentation" sx={{ p: 2 }}>
        <Suspense fallback={loading}>
          <DocumentBody key={page} page={page} text={data} has={(name) => fileOf(name) in files} />
        </Suspense>
      </Paper>
    </>
  );
}
