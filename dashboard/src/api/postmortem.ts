/** The postmortem of an incident, made of the record of a session, and what a model wrote of it. */
import { endpoints } from '../lib/browser/paths';
import { request, requestText } from './client';
import { list, nullableText, text, textOrEmpty, withDefault } from './fields';
import { z } from './zod';

const texts = z.object({ summary: textOrEmpty, what_happened: textOrEmpty, lessons: textOrEmpty });

const prose = z.object({
  /** `pending`, `in_progress`, `completed` or `failed`. */
  status: text,
  failure: nullableText,
  sentences: list(z.object({ section: text, text, facts: list(text) })),
  /** What a person made of it. */
  edited: withDefault(z.nullish(z.extend(texts, { by: textOrEmpty })), null),
});

const postmortem = z.object({ prose: withDefault(z.nullish(prose), null) });

export type Prose = z.infer<typeof prose>;
export type ProseTexts = z.infer<typeof texts>;

export const postmortemKey = (id: string) => ['session', id, 'postmortem'] as const;
export const proseKey = (id: string) => ['session', id, 'prose'] as const;

export function getPostmortem(id: string, signal?: AbortSignal) {
  return requestText(endpoints.postmortem(id), signal);
}

/** Null before somebody asked for it. */
export async function getProse(id: string, signal?: AbortSignal): Promise<Prose | null> {
  return (await request(postmortem, endpoints.postmortemFacts(id), { signal })).prose;
}

/** Has a model write it; what a person made of it is replaced only if that is wanted. */
export function requestProse(id: string, replace: boolean) {
  return request(z.null(), endpoints.postmortemProse(id), { method: 'POST', body: { replace } });
}

export function editProse(id: string, body: ProseTexts) {
  return request(z.null(), endpoints.postmortemProse(id), { method: 'PUT', body });
}
