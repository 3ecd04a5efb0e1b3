import { Prevention } from '../../features/prevention/Prevention';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';

export function PreventionPage() {
  useTitle('Prevention');
  return (
    <>
      <PageHeading title="Prevention">
        What came again and again: causes, alerts without a fault, tools that fail, sources that are
        not understood.
      </PageHeading>
      <Prevention />
    </>
  );
}
