import { queryOptions } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { getTimeline } from '../../api/sessions';
import { getLlmDetail, getMcpDetail, getTrace } from '../../api/trace';
import { readTextStarts } from './waterfall';

export function traceQuery(session: string) {
  return queryOptions({
    queryKey: keys.trace(session),
    queryFn: ({ signal }) => getTrace(session, signal),
    // The live channel reports only what happens after the session was read.
    staleTime: 0,
  });
}

/** When the texts of models began. The trace does not have it; the timeline does. */
export function textStartsQuery(session: string) {
  return queryOptions({
    queryKey: keys.textStarts(session),
    queryFn: async ({ signal }) => readTextStarts(await getTimeline(session, signal)),
    structuralSharing: false,
  });
}

/** An LLM call is recorded when it ends and does not change afterwards. */
export function llmQuery(session: string, interaction: string) {
  return queryOptions({
    queryKey: keys.interaction(session, interaction, ''),
    queryFn: ({ signal }) => getLlmDetail(session, interaction, signal),
    staleTime: Infinity,
    gcTime: 60_000,
  });
}

/** A tool call is read again when its status changes. */
export function mcpQuery(session: string, interaction: string, status: string) {
  return queryOptions({
    queryKey: keys.interaction(session, interaction, status),
    queryFn: ({ signal }) => getMcpDetail(session, interaction, signal),
    staleTime: Infinity,
    gcTime: 60_000,
  });
}
