import { queryOptions } from '@tanstack/react-query';
import { getClaims } from '../../api/claims';
import { keys } from '../../api/keys';

export function claimsQuery(session: string) {
  return queryOptions({
    queryKey: keys.claims(session),
    queryFn: ({ signal }) => getClaims(session, signal),
    // The live channel reports each new check.
    refetchOnWindowFocus: false,
  });
}
