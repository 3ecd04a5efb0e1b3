/** The signed-in user, or whoever else sends this page's requests. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { endpoints } from '../lib/paths';
import { request } from './client';
import { flag, list, nullableText, text, textOrEmpty } from './fields';
import { keys } from './keys';
import { z } from './zod';

const me = z.object({
  name: text,
  role: nullableText,
  permissions: list(text),
  mode: textOrEmpty,
  insecure: flag,
});

export type Me = z.infer<typeof me>;
export type Permission =
  'submit_alert' | 'ask_question' | 'cancel_session' | 'read_audit_log' | 'manage_tokens';

export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: ({ signal }) => request(me, endpoints.me, { signal }),
  staleTime: 60_000,
});

/** Whether the user may do something; true until known, because the server decides. */
export function useMay(permission: Permission): boolean {
  const { data } = useQuery(meQuery);
  return data === undefined || data.permissions.includes(permission);
}
