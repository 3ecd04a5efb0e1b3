import { Memories } from '../../features/memories/Memories';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';

export function MemoriesPage() {
  useTitle('Memories');
  return (
    <>
      <PageHeading title="Memories">
        Facts confirmed in reviews. Later investigations get those that match.
      </PageHeading>
      <Memories />
    </>
  );
}
