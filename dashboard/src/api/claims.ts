/** The checks of what models wrote against the results of tool calls. */
import type { ClaimCheck } from '../lib/session/claims';
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { asApiError } from './errors';
import { count, list, nullableNumber, nullableText, text, textOrEmpty } from './fields';
import { z } from './zod';

const claim = z.object({
  kind: textOrEmpty,
  text: textOrEmpty,
  start: z.number(),
  end: z.number(),
  verdict: text,
  call: nullableNumber,
  line: nullableNumber,
  shown: nullableText,
});

const claimChecks = z.object({
  checks: list(
    z.object({
      id: text,
      text,
      timeline_event_id: nullableText,
      failure: nullableText,
      successful_calls: count,
      claims: count,
      verified: count,
      items: list(claim),
      items_left_out: count,
    }),
  ),
});

/** The oldest first; none from an API without these checks. */
export async function getClaims(
  session: string,
  signal?: AbortSignal,
): Promise<readonly ClaimCheck[]> {
  try {
    return (await request(claimChecks, endpoints.claims(session), { signal })).checks;
  } catch (error) {
    if (asApiError(error).status === 404) return [];
    throw error;
  }
}
