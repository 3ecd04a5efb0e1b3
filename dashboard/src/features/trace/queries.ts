import { queryOptions } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import { getLlmDetail, getMcpDetail, getTrace } from '../../api/trace';

export function traceQuery(session: string) {
  return queryOptions({
    queryKey: keys.trace(session),
    queryFn: ({ signal }) => getTrace(session, signal),
  });
}

/** A call of a model is written down when it is over, and does not change any more. */
export function llmQuery(session: string, interaction: string) {
  return queryOptions({
    queryKey: keys.interaction(session, interaction, ''),
    queryFn: ({ signal }) => getLlmDetail(session, interaction, signal),
    staleTime: Infinity,
    gcTime: 60_000,
  });
}

/** A call of a tool is read again when its state changes. */
export function mcpQuery(session: string, interaction: string, status: string) {
  return queryOptions({
    queryKey: keys.interaction(session, interaction, status),
    queryFn: ({ signal }) => getMcpDetail(session, interaction, signal),
    staleTime: Infinity,
    gcTime: 60_000,
  });
}
