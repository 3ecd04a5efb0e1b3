import { Skeleton } from '@mui/material';
import { lazy, Suspense } from 'react';
import { useSystemSettled } from '../../features/system/useSystemSettled';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';

const SystemPanels = lazy(() => import('./SystemPanels'));

export function SystemPage() {
  useTitle('System');
  const settled = useSystemSettled();
  const loading = <Skeleton variant="rounded" height={480} role="status" aria-label="Loading" />;
  return (
    <>
      <PageHeading title="System">Tool servers, warnings and services.</PageHeading>
      <Suspense fallback={loading}>{settled ? <SystemPanels /> : loading}</Suspense>
    </>
  );
}
