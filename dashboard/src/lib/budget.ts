/** The limits of a session, in words. */
const names: Readonly<Record<string, string>> = {
  llm_calls: 'model calls',
  tokens: 'tokens',
  tool_calls: 'tool calls',
};

export function budgetWords(limit: string | null): string {
  return names[limit ?? ''] ?? limit?.replaceAll('_', ' ') ?? 'a limit';
}
