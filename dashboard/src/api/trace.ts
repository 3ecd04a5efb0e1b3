/** What models and tools were asked and what they answered, call by call. */
import { z } from './zod';
import { endpoints } from '../lib/paths';
import { request, requestText } from './client';
import { ApiError } from './errors';
import { count, flag, list, maybeNumber, maybeText, metadata, text, textOrEmpty } from './fields';

const llmItem = z.object({
  id: text,
  interaction_type: textOrEmpty,
  model_name: textOrEmpty,
  input_tokens: maybeNumber,
  output_tokens: maybeNumber,
  total_tokens: count,
  timed_out: flag,
  duration_ms: maybeNumber,
  error_message: maybeText,
  created_at: textOrEmpty,
});

const mcpItem = z.object({
  id: text,
  /** `tool_call`, or `tool_list`: what a server offered. */
  interaction_type: textOrEmpty,
  status: textOrEmpty,
  server_name: textOrEmpty,
  tool_name: maybeText,
  call_number: maybeNumber,
  duration_ms: maybeNumber,
  refused_by_policy: flag,
  error_message: maybeText,
  created_at: textOrEmpty,
});

const trace = z.object({
  stages: list(
    z.object({
      stage_id: textOrEmpty,
      stage_name: textOrEmpty,
      executions: list(
        z.object({
          execution_id: textOrEmpty,
          agent_name: textOrEmpty,
          llm_interactions: list(llmItem),
          mcp_interactions: list(mcpItem),
        }),
      ),
    }),
  ),
  session_interactions: list(llmItem),
});

const calls = list(
  z.object({ id: maybeText, name: textOrEmpty, arguments: z.unknown().optional() }),
).catch([]);

const message = z.object({
  role: text,
  content: textOrEmpty,
  tool_calls: calls,
  tool_call_id: maybeText,
  tool_name: maybeText,
});

const answer = z.object({ content: textOrEmpty, tool_calls: calls });

const llmDetail = llmItem.extend({
  thinking_content: maybeText,
  llm_request: z.unknown().optional(),
  llm_response: z.unknown().optional(),
  response_metadata: metadata.catch(null),
  conversation: list(message),
});

const mcpDetail = mcpItem.extend({
  tool_arguments: z.unknown().optional(),
  tool_result: maybeText,
  available_tools: list(z.object({ name: text, description: textOrEmpty })).catch([]),
});

export type Trace = z.infer<typeof trace>;
export type LlmItem = z.infer<typeof llmItem>;
export type McpItem = z.infer<typeof mcpItem>;
export type LlmDetail = z.infer<typeof llmDetail>;
export type McpDetail = z.infer<typeof mcpDetail>;
export type TraceMessage = z.infer<typeof message>;

/** What was said up to this call, and what the model answered; the record keeps them apart. */
export function wholeConversation(call: LlmDetail): readonly TraceMessage[] {
  const { conversation, llm_response: response } = call;
  const { data: said } = answer.safeParse(response);
  const silent = !said || (said.content === '' && said.tool_calls.length === 0);
  if (silent || conversation.at(-1)?.role === 'assistant') return conversation;
  return [...conversation, { ...said, role: 'assistant', tool_call_id: null, tool_name: null }];
}

export function getTrace(session: string, signal?: AbortSignal) {
  return request(trace, endpoints.trace(session), { signal });
}

export function getLlmDetail(session: string, interaction: string, signal?: AbortSignal) {
  return request(llmDetail, endpoints.llmInteraction(session, interaction), { signal });
}

export function getMcpDetail(session: string, interaction: string, signal?: AbortSignal) {
  return request(mcpDetail, endpoints.mcpInteraction(session, interaction), { signal });
}

/** Where the whole result of a call is; the trace knows a call by its number. */
async function wholeResultPath(session: string, call: number, signal?: AbortSignal) {
  const { stages } = await getTrace(session, signal);
  const found = stages
    .flatMap(({ executions }) => executions)
    .flatMap((execution) => execution.mcp_interactions)
    .find(({ call_number }) => call_number === call);
  if (!found) {
    const words = `Call ${call} is not in the record of this session.`;
    throw new ApiError({ status: 404, title: 'There is no such call', message: words });
  }
  return endpoints.wholeResult(session, found.id);
}

export async function getWholeResult(session: string, call: number, signal?: AbortSignal) {
  const path = await wholeResultPath(session, call, signal);
  return { path, text: await requestText(path, signal) };
}
