import { useSearchParams } from 'react-router';
import { Connect } from '../../features/system/connect/Connect';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';

export function ConnectPage() {
  useTitle('Connect');
  const [search, setSearch] = useSearchParams();
  return (
    <>
      <PageHeading title="Connect">
        Gives agents the tools of another system: lines for tarsy.yaml, and a test of the
        connection.
      </PageHeading>
      <Connect
        chosen={search.get('system') ?? ''}
        choose={(system) => setSearch({ system }, { replace: true })}
      />
    </>
  );
}
