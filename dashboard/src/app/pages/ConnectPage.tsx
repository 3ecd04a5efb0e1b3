import { Skeleton } from '@mui/material';
import { lazy, Suspense } from 'react';
import { useSearchParams } from 'react-router';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';

const Connect = lazy(async () => ({
  default: (await import('../../features/system/connect/Connect')).Connect,
}));

export function ConnectPage() {
  useTitle('Connect');
  const [search, setSearch] = useSearchParams();
  return (
    <>
      <PageHeading title="Connect">
        Gives agents the tools of another system: lines for tarsy.yaml, and a test of the
        connection.
      </PageHeading>
      <Suspense fallback={<Skeleton variant="rounded" height={320} />}>
        <Connect
          chosen={search.get('system') ?? ''}
          choose={(system) => setSearch({ system }, { replace: true })}
        />
      </Suspense>
    </>
  );
}
