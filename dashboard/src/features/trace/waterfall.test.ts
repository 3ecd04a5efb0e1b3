import { describe, expect, it } from 'vitest';
import type { LlmItem, McpItem, Trace } from '../../api/trace';
import { readTextStarts, readWaterfall } from './waterfall';

const base = Date.parse('2026-11-22T01:00:00Z');
const at = (seconds: number) => new Date(base + seconds * 1000).toISOString();

function llm(id: string, endSeconds: number, changes: Partial<LlmItem> = {}): LlmItem {
  return {
    id,
    interaction_type: 'iteration',
    provider: 'google',
    model_name: 'gemini',
    input_tokens: 1200,
    output_tokens: 80,
    total_tokens: 1280,
    cost_micro_usd: null,
    thinking_tokens: null,
    tokens_estimated: false,
    finish_reason: null,
    timed_out: false,
    duration_ms: 2000,
    first_token_ms: null,
    error_message: null,
    compaction: null,
    created_at: at(endSeconds),
    ...changes,
  };
}

function tool(id: string, startSeconds: number, changes: Partial<McpItem> = {}): McpItem {
  return {
    id,
    interaction_type: 'tool_call',
    status: 'completed',
    server_name: 'host',
    tool_name: 'df',
    call_number: 1,
    duration_ms: 500,
    refused_by_policy: false,
    error_message: null,
    created_at: at(startSeconds),
    ...changes,
  };
}

type Agent = readonly [readonly LlmItem[], readonly McpItem[]];

function trace(...agents: readonly Agent[]): Trace {
  const executions = agents.map(([llm_interactions, mcp_interactions], index) => ({
    execution_id: `execution-${index}`,
    parent_execution_id: null,
    agent_name: `Agent${index}`,
    llm_interactions: [...llm_interactions],
    mcp_interactions: [...mcp_interactions],
  }));
  return {
    stages: [{ stage_id: 'stage', stage_name: 'Diagnosis', executions }],
    session_interactions: [],
  };
}

describe('the waterfall', () => {
  it('starts with the first call and ends with the last one', () => {
    const { rows, start, end } = readWaterfall(trace([[llm('a', 2)], [tool('b', 3)]]), base);
    expect([start - base, end - base]).toEqual([0, 3500]);
    expect(
      rows.map(({ id, start: from, end: to }) => [id, (from ?? 0) - base, (to ?? 0) - base]),
    ).toEqual([
      ['stage stage', 0, 3500],
      ['a', 0, 2000],
      ['b', 3000, 3500],
    ]);
  });

  it('numbers turns, and marks retries and fallbacks', () => {
    const failed = llm('one', 2, { error_message: 'overloaded' });
    const again = llm('two', 5, { provider: 'anthropic' });
    const { rows } = readWaterfall(
      trace([[failed, again, llm('three', 8, { provider: 'anthropic' })], []]),
      base,
    );
    expect(rows.slice(1).map(({ title, facts }) => [title, ...facts])).toEqual([
      ['Turn 1: gemini', '2.0 s', '1,200 in, 80 out'],
      ['Turn 1: gemini', 'retry', 'fallback to anthropic', '2.0 s', '1,200 in, 80 out'],
      ['Turn 2: gemini', '2.0 s', '1,200 in, 80 out'],
    ]);
    expect(rows.map((row) => row.failed)).toEqual([false, true, false, false]);
  });

  it('names calls of the session by what they are for', () => {
    const summary = llm('summary', 4, { interaction_type: 'executive_summary' });
    const { rows } = readWaterfall(
      { ...trace([[llm('one', 2)], []]), session_interactions: [summary] },
      base,
    );
    expect(rows.map(({ title }) => title)).toEqual([
      'Diagnosis',
      'Turn 1: gemini',
      'Session',
      'Executive summary: gemini',
    ]);
  });

  it('shows after which time the first text of each model call began', () => {
    const event = (seconds: number, changes: object = {}) => ({
      event_type: 'llm_response',
      execution_id: 'execution-0',
      created_at: at(seconds),
      ...changes,
    });
    const texts = readTextStarts([
      event(1.5),
      event(0.4, { event_type: 'llm_thinking' }),
      event(0.1, { execution_id: 'execution-1' }),
      event(0.2, { event_type: 'llm_tool_call' }),
      event(0.3, { execution_id: null }),
      event(3),
    ]);
    const { rows } = readWaterfall(trace([[llm('one', 2), llm('two', 6)], []]), base, texts);
    expect(rows.slice(1).map(({ facts }) => facts.at(-1))).toEqual([
      'first text after 400 ms',
      '1,200 in, 80 out',
    ]);
  });

  it('shows the stored time to the first token instead, if there is one', () => {
    const texts = readTextStarts([
      { event_type: 'llm_response', execution_id: 'execution-0', created_at: at(1.5) },
    ]);
    const calls = [llm('one', 2, { first_token_ms: 350 })];
    const { rows } = readWaterfall(trace([calls, []]), base, texts);
    expect(rows[1]?.facts).toEqual(['2.0 s', '1,200 in, 80 out', 'first token after 350 ms']);
  });

  it('has a row for each of several agents', () => {
    const { rows } = readWaterfall(trace([[llm('a', 2)], []], [[llm('b', 4)], []]), base);
    expect(rows.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
      'stage Diagnosis',
      'agent Agent0',
      'llm Turn 1: gemini',
      'agent Agent1',
      'llm Turn 1: gemini',
    ]);
    expect(rows[0]?.facts).toEqual(['4.0 s', '2,560 tokens']);
  });

  it('draws a running call until now', () => {
    const running = tool('run', 1, { status: 'started', duration_ms: null });
    const { rows, end } = readWaterfall(trace([[], [running]]), base + 9000);
    expect(end - base).toBe(9000);
    expect(rows[1]?.facts).toEqual(['running']);
  });

  it('reads a session without calls', () => {
    const { rows, start, end } = readWaterfall(trace([[], []]), base);
    expect(rows.map(({ facts }) => facts)).toEqual([['no calls']]);
    expect(end).toBeGreaterThan(start);
  });

  it('reads more calls than a function takes arguments', () => {
    const calls = Array.from({ length: 200_000 }, (_, index) => tool(`call-${index}`, index));
    expect(readWaterfall(trace([[], calls]), base).rows).toHaveLength(200_001);
  });
});
