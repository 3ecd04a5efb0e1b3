import { queryOptions } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { getSession } from '../../api/sessions';

export function sessionQuery(id: string) {
  return queryOptions({
    queryKey: keys.detail(id),
    queryFn: ({ signal }) => getSession(id, signal),
  });
}
