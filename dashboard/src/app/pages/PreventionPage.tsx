import { Prevention } from '../../features/prevention/Prevention';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';

export function PreventionPage() {
  useTitle('Prevention');
  return (
    <>
      <PageHeading title="Prevention">
        What keeps coming back: causes, alerts without a fault, failing tools, sources that are not
        understood.
      </PageHeading>
      <Prevention />
    </>
  );
}
