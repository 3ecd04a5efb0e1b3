/** Two sessions beside each other. */
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { count, flag, list, nullableNumber, nullableText, text, textOrEmpty } from './fields';
import { z } from './zod';

const side = z.object({
  session_id: text,
  report: z.object({
    status: textOrEmpty,
    final_analysis: nullableText,
    executive_summary: nullableText,
    error_message: nullableText,
  }),
  tool_calls: count,
  /** Calls that failed, or that the record of a replay's original does not have. */
  failed_tool_calls: count,
  claims: z.object({
    claims: count,
    supported: count,
    supported_elsewhere: count,
    unsupported: count,
    contradicted: count,
    ghost_citations: count,
  }),
  usage: z.object({
    providers: list(text),
    prompt_versions: list(text),
    tarsy_versions: list(text),
    llm_calls: nullableNumber,
    input_tokens: nullableNumber,
    output_tokens: nullableNumber,
    total_tokens: nullableNumber,
    tokens_estimated: flag,
    /** Millionths of a US dollar; null when no call has a price. */
    cost_micro_usd: nullableNumber,
    duration_ms: nullableNumber,
  }),
});

const comparison = z.object({
  first: side,
  second: side,
  same_calls: flag,
  same_results: flag,
  same_report: flag,
  differences: list(
    z.object({
      server: textOrEmpty,
      tool: textOrEmpty,
      arguments: z.optional(z.unknown()),
      /** How often each of them made the call. */
      first: count,
      second: count,
    }),
  ),
});

export type Comparison = z.infer<typeof comparison>;
export type ComparisonSide = z.infer<typeof side>;
export type CallDifference = Comparison['differences'][number];

export function getComparison(first: string, second: string, signal?: AbortSignal) {
  return request(comparison, endpoints.comparison(first, second), { signal });
}
