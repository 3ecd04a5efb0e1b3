/** Decisions about tool calls that wait for a person. */
import { endpoints } from '../lib/paths';
import { request } from './client';
import { nullableText, text } from './fields';
import { z } from './zod';

const approval = z.object({ id: text, decision: nullableText, decided_by: nullableText });

export type Decision = 'approve' | 'deny';

export function decideApproval(session: string, id: string, decision: Decision) {
  return request(approval, endpoints.approval(session, id), {
    method: 'POST',
    body: { decision },
  });
}
