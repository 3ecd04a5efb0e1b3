import { CreateToken } from '../../features/tokens/CreateToken';
import { TokenList } from '../../features/tokens/TokenList';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';
import { RequirePermission } from '../RequirePermission';

export function TokensPage() {
  useTitle('API tokens');
  return (
    <RequirePermission permission="manage_tokens" activity="manage API tokens" leastRole="admin">
      <PageHeading title="API tokens" actions={<CreateToken />}>
        For alert sources and scripts.
      </PageHeading>
      <TokenList />
    </RequirePermission>
  );
}
