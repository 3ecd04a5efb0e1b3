import { Skeleton } from '@mui/material';
import { lazy, Suspense } from 'react';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';

const ReceivedAlerts = lazy(async () => ({
  default: (await import('../../features/received/ReceivedAlerts')).ReceivedAlerts,
}));

export function ReceivedAlertsPage() {
  useTitle('Received alerts');
  return (
    <>
      <PageHeading title="Received alerts">
        Alerts from your sources, and what became of each.
      </PageHeading>
      <Suspense fallback={<Skeleton variant="rounded" height={480} role="status" />}>
        <ReceivedAlerts />
      </Suspense>
    </>
  );
}
