import { AuditLog } from '../../features/audit/AuditLog';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';
import { RequirePermission } from '../RequirePermission';

export function AuditLogPage() {
  useTitle('Audit log');
  return (
    <RequirePermission
      permission="read_audit_log"
      activity="read the audit log"
      leastRole="operator"
    >
      <PageHeading title="Audit log">
        Every change, every denied request and every read of a trace.
      </PageHeading>
      <AuditLog />
    </RequirePermission>
  );
}
