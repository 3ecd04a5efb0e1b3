/** Decisions about tool calls that wait for a person. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { list, nullableText, text, textOrEmpty } from './fields';
import { z } from './zod';

const approval = z.object({ id: text, decision: nullableText, decided_by: nullableText });

const waiting = z.object({
  id: text,
  session_id: text,
  server_name: textOrEmpty,
  tool_name: textOrEmpty,
  arguments: z.optional(z.unknown()),
  reason: nullableText,
  /** What the call is meant to do, and its dry run. */
  action: z.optional(z.unknown()),
  dry_run: z.optional(z.unknown()),
  /** The first text that the session was given and that addresses a model. */
  injected: z.optional(z.unknown()),
  /** From then on it counts as denied. */
  expires_at: nullableText,
  /** What the alert of its session is about. */
  title: nullableText,
  alert_type: nullableText,
  severity: nullableText,
  service: nullableText,
  namespace: nullableText,
  cluster: nullableText,
});

export type Decision = 'approve' | 'deny';
export type WaitingCall = z.infer<typeof waiting>;

/** The calls of all sessions that wait, the oldest first. */
export function listApprovals(signal?: AbortSignal) {
  return request(z.object({ approvals: list(waiting) }), endpoints.approvals, { signal });
}

export function decideApproval(session: string, id: string, decision: Decision) {
  return request(approval, endpoints.approval(session, id), {
    method: 'POST',
    body: { decision },
  });
}
