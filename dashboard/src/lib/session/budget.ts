/** Display names of the limits of a session. */
const names: Readonly<Record<string, string>> = {
  llm_calls: 'LLM calls',
  tokens: 'tokens',
  tool_calls: 'tool calls',
  cost_micro_usd: 'cost',
  cost_usd: 'US dollars',
};

export function limitLabel(limit: string | null): string {
  return names[limit ?? ''] ?? limit?.replaceAll('_', ' ') ?? 'a limit';
}
