import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { getAuditLog, type AuditQuery } from '../../api/auditLog';
import { keys } from '../../api/keys';

export function auditQuery(query: AuditQuery) {
  return queryOptions({
    queryKey: keys.audit(query),
    queryFn: ({ signal }) => getAuditLog(query, signal),
    placeholderData: keepPreviousData,
  });
}
