/** The signed-in user, or whoever else sends this page's requests. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { flag, list, nullableText, text, textOrEmpty } from './fields';
import { keys } from './keys';
import { reportSignedIn } from './signIn';
import { z } from './zod';

const me = z.object({
  name: text,
  role: nullableText,
  permissions: list(text),
  mode: textOrEmpty,
  insecure: flag,
  csrf_token: nullableText,
});

export type Me = z.infer<typeof me>;
export type Permission =
  | 'submit_alert'
  | 'ask_question'
  | 'cancel_session'
  | 'delete_session'
  | 'read_audit_log'
  | 'manage_tokens'
  | 'approve_call'
  | 'accept_tools'
  | 'review_session'
  | 'triage_session'
  | 'run_schedule'
  | 'share_finding'
  | 'replay_session'
  | 'read_config'
  | 'reload_config'
  | 'try_address';

export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: async ({ signal }) => {
    const sender = await request(me, endpoints.me, { signal });
    reportSignedIn(sender.csrf_token);
    return sender;
  },
  staleTime: 60_000,
});

/** Whether the user may do something; true until known, because the server decides. */
export function useMay(permission: Permission): boolean {
  const { data } = useQuery(meQuery);
  return data === undefined || data.permissions.includes(permission);
}

/** Whether the user lacks a permission because this browser does not have the token of the start, in mode `local`. */
export function useLacksToken(permission: Permission): boolean {
  const { data } = useQuery(meQuery);
  return data?.mode === 'local' && !data.permissions.includes(permission);
}

/** Ends the sign-in of this browser. */
export async function signOut(): Promise<void> {
  await request(z.null(), endpoints.signOut, { method: 'POST' });
}
