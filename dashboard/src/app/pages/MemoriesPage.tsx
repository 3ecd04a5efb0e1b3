import { Memories } from '../../features/memories/Memories';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';

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
