/** API tokens of alert sources and scripts. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { list, nullableText, text, textOrEmpty } from './fields';
import { z } from './zod';

const token = z.object({
  id: text,
  name: text,
  /** Null for a token of an alert source. */
  role: nullableText,
  alert_types: list(text),
  created_by: textOrEmpty,
  created_at: textOrEmpty,
  expires_at: textOrEmpty,
  last_used_at: nullableText,
});

const created = z.extend(token, { token: text });

export type ApiToken = z.infer<typeof token>;
export type CreatedToken = z.infer<typeof created>;

export interface NewToken {
  readonly name: string;
  readonly role?: string;
  readonly alert_types?: readonly string[];
  readonly expires_in_days: number;
}

export function getTokens(signal?: AbortSignal) {
  return request(z.object({ tokens: list(token) }), endpoints.tokens, { signal });
}

export function createToken(body: NewToken) {
  return request(created, endpoints.tokens, { method: 'POST', body });
}

export function revokeToken(id: string) {
  return request(z.null(), endpoints.token(id), { method: 'DELETE' });
}
