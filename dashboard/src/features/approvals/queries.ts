import { queryOptions, useQuery } from '@tanstack/react-query';
import { listApprovals } from '../../api/approvals';
import { keys } from '../../api/keys';
import { useSoon } from '../../lib/browser/background';

/** Nothing reports a call that begins to wait, or that expires, to a page without its session. */
const POLL_MS = 10_000;

export const approvalsQuery = queryOptions({
  queryKey: keys.approvals,
  queryFn: ({ signal }) => listApprovals(signal),
  refetchInterval: POLL_MS,
});

/** How many calls wait; 0 until it is known. */
export function useApprovalCount(): number {
  const { data } = useQuery({ ...approvalsQuery, enabled: useSoon() });
  return data?.approvals.length ?? 0;
}
