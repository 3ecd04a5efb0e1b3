import { Memories } from '../../features/memories/Memories';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';

export function MemoriesPage() {
  useTitle('Memories');
  return (
    <>
      <PageHeading title="Memories">
        What people confirmed in reviews. Later investigations are given those that fit.
      </PageHeading>
      <Memories />
    </>
  );
}
