import { Skeleton } from '@mui/material';
import { lazy, Suspense } from 'react';
import { useSystemLoaded } from '../../features/system/useSystemLoaded';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';

const SystemPanels = lazy(() => import('./SystemPanels'));

export function SystemPage() {
  useTitle('System');
  const isLoaded = useSystemLoaded();
  const loading = <Skeleton variant="rounded" height={480} role="status" aria-label="Loading" />;
  return (
    <>
      <PageHeading title="System">Warnings, tool servers, services, queue and storage.</PageHeading>
      <Suspense fallback={loading}>{isLoaded ? <SystemPanels /> : loading}</Suspense>
    </>
  );
}
