/** The trace: every model and tool call with its request and response. */
import { z } from './zod';
import { endpoints } from '../lib/browser/paths';
import { request, requestText } from './client';
import { ApiError } from './errors';
import {
  count,
  flag,
  list,
  nullableNumber,
  nullableText,
  metadata,
  text,
  textOrEmpty,
} from './fields';

const compaction = z.object({
  shortened_messages: count,
  omitted_messages: count,
  /** Estimated tokens of the whole request. */
  whole_tokens: count,
});

const llmItem = z.object({
  id: text,
  interaction_type: textOrEmpty,
  /** Configured name of the provider; null in old records. */
  provider: nullableText,
  model_name: textOrEmpty,
  input_tokens: nullableNumber,
  output_tokens: nullableNumber,
  total_tokens: count,
  thinking_tokens: nullableNumber,
  /** True when the provider left a part of the tokens out, which is estimated. */
  tokens_estimated: flag,
  /** Millionths of a US dollar; null when no price is configured. */
  cost_micro_usd: nullableNumber,
  /** `stop`, `length`, `tool_calls` or `content_filter`; null when it was not reported. */
  finish_reason: nullableText,
  timed_out: flag,
  duration_ms: nullableNumber,
  /** Until the first text or reasoning; null when there was neither, and in old records. */
  first_token_ms: nullableNumber,
  error_message: nullableText,
  /** What was left out of the request to fit the context window; null when it was whole. */
  compaction: z.catch(z.nullable(compaction), null),
  created_at: textOrEmpty,
});

const mcpItem = z.object({
  id: text,
  /** `tool_call`, or `tool_list` for a listing of a server's tools. */
  interaction_type: textOrEmpty,
  status: textOrEmpty,
  server_name: textOrEmpty,
  tool_name: nullableText,
  call_number: nullableNumber,
  duration_ms: nullableNumber,
  refused_by_policy: flag,
  error_message: nullableText,
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
          parent_execution_id: nullableText,
          llm_interactions: list(llmItem),
          mcp_interactions: list(mcpItem),
        }),
      ),
    }),
  ),
  session_interactions: list(llmItem),
});

const calls = z.catch(
  list(z.object({ id: nullableText, name: textOrEmpty, arguments: z.optional(z.unknown()) })),
  [],
);

const traceMessage = z.object({
  role: text,
  content: textOrEmpty,
  tool_calls: calls,
  tool_call_id: nullableText,
  tool_name: nullableText,
});

const modelResponse = z.object({ content: textOrEmpty, tool_calls: calls });

const llmDetail = z.extend(llmItem, {
  thinking_content: nullableText,
  llm_request: z.optional(z.unknown()),
  llm_response: z.optional(z.unknown()),
  response_metadata: z.catch(metadata, null),
  conversation: list(traceMessage),
});

const mcpDetail = z.extend(mcpItem, {
  tool_arguments: z.optional(z.unknown()),
  tool_result: nullableText,
  available_tools: z.catch(list(z.object({ name: text, description: textOrEmpty })), []),
});

export type Trace = z.infer<typeof trace>;
export type LlmItem = z.infer<typeof llmItem>;
export type Compaction = z.infer<typeof compaction>;
export type McpItem = z.infer<typeof mcpItem>;
export type LlmDetail = z.infer<typeof llmDetail>;
export type McpDetail = z.infer<typeof mcpDetail>;
export type TraceMessage = z.infer<typeof traceMessage>;

/** The conversation including the model's response, which the record stores separately. */
export function fullConversation(call: LlmDetail): readonly TraceMessage[] {
  const { conversation, llm_response: response } = call;
  const { data: answer } = modelResponse.safeParse(response);
  const empty = !answer || (answer.content === '' && answer.tool_calls.length === 0);
  if (empty || conversation.at(-1)?.role === 'assistant') return conversation;
  return [...conversation, { ...answer, role: 'assistant', tool_call_id: null, tool_name: null }];
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

/** Path of the full result of a call. Finds the interaction id by call number in the trace. */
async function fullResultPath(session: string, call: number, signal?: AbortSignal) {
  const { stages } = await getTrace(session, signal);
  const interaction = stages
    .flatMap(({ executions }) => executions)
    .flatMap((execution) => execution.mcp_interactions)
    .find(({ call_number }) => call_number === call);
  if (!interaction) {
    const message = `This session has no recorded call ${call}.`;
    throw new ApiError({ status: 404, title: 'Call not found', message });
  }
  return endpoints.fullResult(session, interaction.id);
}

export async function getFullResult(session: string, call: number, signal?: AbortSignal) {
  const path = await fullResultPath(session, call, signal);
  return { path, text: await requestText(path, signal) };
}
