import { describe, expect, it } from 'vitest';
import { parseCodeExecution } from './session/execution';
import {
  firstLine,
  formatBytes,
  formatCost,
  formatCount,
  inlineValue,
  prettyJson,
} from './text/format';
import { agentError, agentName } from './session/agents';
import { endpoints, pages, socketUrl } from './browser/paths';
import { describeStatus } from './session/status';
import { elapsed, formatAgo, formatDateTime, formatDuration, parseTime } from './time/time';
import { byteLength, dropBytes } from './text/utf8';

describe('UTF-8 bytes', () => {
  it.each([
    ['plain', 5],
    ['naïve', 6],
    ['日本', 6],
    ['a😀b', 6],
  ])('%s has %i', (text, bytes) => {
    expect(byteLength(text)).toBe(bytes);
    expect(byteLength(text)).toBe(new TextEncoder().encode(text).length);
  });

  it('are dropped at character boundaries only', () => {
    expect(dropBytes('a😀b', 5)).toBe('b');
    expect(dropBytes('a😀b', 3)).toBeNull();
    expect(dropBytes('ab', 3)).toBeNull();
    expect(dropBytes('ab', 0)).toBe('ab');
  });
});

describe('times', () => {
  it('are parsed with nanoseconds', () => {
    expect(parseTime('2026-11-22T01:00:00.123456789Z')).toBe(Date.UTC(2026, 10, 22, 1, 0, 0, 123));
    expect(parseTime('nonsense')).toBeNull();
  });

  it.each([
    [840, '840 ms'],
    [5600, '5.6 s'],
    [9999, '9.9 s'],
    [59_999, '59 s'],
    [185_000, '3 m 05 s'],
    [7_800_000, '2 h 10 m'],
    [null, '–'],
  ])('of %s ms are formatted as %s', (millis, words) => {
    expect(formatDuration(millis)).toBe(words);
  });

  it('with a date include the time zone', () => {
    const words = formatDateTime('2026-11-22T01:00:00Z', 'local');
    expect(words).toMatch(/\d\d:\d\d:00 \S+/);
    expect(formatDateTime('2026-11-22T01:00:00Z', 'utc')).toContain('01:00:00 UTC');
    expect(formatDateTime(null, 'utc')).toBe('–');
  });

  it('run until they are completed', () => {
    const start = '2026-11-22T01:00:00Z';
    expect(elapsed(start, null, Date.parse(start) + 5000)).toBe(5000);
    expect(elapsed(start, '2026-11-22T01:00:02Z', Date.now())).toBe(2000);
    expect(elapsed(null, null, 0)).toBeNull();
    expect(formatAgo(start, Date.parse(start) + 90_000)).toBe('1 min ago');
  });
});

describe('formatted values', () => {
  it('abbreviate counts and sizes', () => {
    expect([9999, 12_345, 2_000_000].map(formatCount)).toEqual(['9,999', '12.3k', '2M']);
    expect([10, 2048, 1024 * 1024].map(formatBytes)).toEqual(['10 B', '2 KiB', '1 MiB']);
    const costs = [0, 3_400, 91_500, 1_234_567_890].map(formatCost);
    expect(costs).toEqual(['$0.00', '$0.0034', '$0.09', '$1,234.57']);
  });

  it('indent JSON and leave other text unchanged', () => {
    expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(prettyJson('{broken')).toBe('{broken');
    expect(prettyJson('plain')).toBe('plain');
  });

  it('indent JSON as JSON.stringify does', () => {
    const value = {
      list: [1, [], {}, [null, true], { deep: [{ a: 'b' }] }],
      'a "key": with, [marks]': 'line\none \\ {two}: "quoted", é',
      empty: '',
    };
    const usual = JSON.stringify(value, null, 2);
    expect(prettyJson(JSON.stringify(value))).toBe(usual);
    expect(prettyJson(usual.replaceAll('\n', '\r\n\t '))).toBe(usual);
    expect(prettyJson('["\\u00e9 \\/"]')).toBe('[\n  "é /"\n]');
  });

  it('keep the digits of numbers', () => {
    const numbers = '[1763771400123456789, 1.0, -0, 1e400, 12345678901234567890]';
    expect(prettyJson(numbers).replaceAll(/\s+/g, ' ')).toBe(
      numbers.replace('[', '[ ').replace(']', ' ]'),
    );
  });

  it('put arguments on one line, given as text or as an object', () => {
    expect(inlineValue({ path: '/var', depth: 2 })).toBe('path=/var  depth=2');
    expect(inlineValue('{"path":"/var"}')).toBe('path=/var');
    expect(inlineValue(null)).toBe('');
    expect(inlineValue('null')).toBe('');
  });

  it('find the first non-empty line of Markdown', () => {
    expect(firstLine('\n## **Root** cause\nmore')).toBe('Root cause');
  });

  it('make a label from an unknown status', () => {
    expect(describeStatus('half_done')).toEqual({ label: 'Half done', tone: 'neutral' });
  });
});

describe('code execution events', () => {
  it.each([
    ['```\nprint(1)\n```\n\n1', { language: '', code: 'print(1)', output: '1' }],
    ['```python\na\n\nb\n```', { language: 'python', code: 'a\n\nb', output: '' }],
    ['print(1)', { language: '', code: 'print(1)', output: '' }],
    ['```\nnever closed', { language: '', code: '```\nnever closed', output: '' }],
  ])('%j are split into code and output', (content, parts) => {
    expect(parseCodeExecution(content)).toEqual(parts);
  });
});

describe('agents of one stage', () => {
  it('are numbered when they have the same name', () => {
    const all = ['Logs', 'Host', 'Host'].map((agent_name, index) => ({
      agent_name,
      agent_index: index + 1,
    }));
    expect(all.map((one) => agentName(one, all))).toEqual(['Logs', 'Host #2', 'Host #3']);
  });

  it('say when they timed out', () => {
    const error_message = 'no first token within 90s';
    const errorOf = (status: string) => agentError({ status, error_message, failure: null });
    expect(errorOf('timed_out')).toBe('Agent timed out: no first token within 90s');
    expect(errorOf('failed')).toBe('No first token within 90s');
    expect(agentError({ status: 'timed_out', error_message: null, failure: null })).toBeNull();
  });
});

describe('paths', () => {
  it('match the API contract', () => {
    const byId = {
      session: null,
      timeline: null,
      approval: null,
      cancel: null,
      claims: null,
      chatMessages: null,
      comparison: null,
      replay: null,
      review: null,
      trace: null,
      fullResult: null,
      llmInteraction: null,
      mcpInteraction: null,
      sessionAlerts: null,
      deletion: null,
      share: null,
      testMcpServer: null,
      testProvider: null,
      memory: null,
      rollback: null,
      scheduleRuns: null,
    };
    expect({ ...endpoints, ...byId }).toMatchSnapshot();
    expect(endpoints.chatMessages('x')).toBe('/api/v1/sessions/x/chat/messages');
    expect(endpoints.claims('x')).toBe('/api/v1/sessions/x/claims');
    expect(endpoints.sessionAlerts('x')).toBe('/api/v1/sessions/x/alerts');
    expect(endpoints.replay('x')).toBe('/api/v1/sessions/x/replay');
    expect(endpoints.review('x')).toBe('/api/v1/sessions/x/review');
    expect(endpoints.comparison('x', 'y')).toBe('/api/v1/sessions/x/comparison?with=y');
    expect(endpoints.cancel('a/b')).toBe('/api/v1/sessions/a%2Fb/cancel');
    expect(endpoints.approval('x', 'y')).toBe('/api/v1/sessions/x/approvals/y');
    expect(endpoints.timeline('x')).toBe('/api/v1/sessions/x/timeline');
    expect(endpoints.fullResult('x', 'y')).toBe('/api/v1/sessions/x/trace/mcp/y/result');
    expect(endpoints.llmInteraction('x', 'y')).toBe('/api/v1/sessions/x/trace/llm/y');
    expect(endpoints.mcpInteraction('x', 'y')).toBe('/api/v1/sessions/x/trace/mcp/y');
    expect(endpoints.memory('a/b')).toBe('/api/v1/memories/a%2Fb');
    expect(endpoints.scheduleRuns('x')).toBe('/api/v1/schedules/x/runs');
    expect(pages.session('x')).toBe('/sessions/x');
    expect(pages.trace('x')).toBe('/sessions/x/trace');
    expect(pages.compare('x', 'y')).toBe('/compare?first=x&second=y');
    expect(pages.sessionsOf('a b')).toBe('/?fingerprint=a%20b');
  });

  it('use the origin of the page for the WebSocket', () => {
    expect(socketUrl({ protocol: 'https:', host: 'tarsy.example' })).toBe(
      'wss://tarsy.example/api/v1/ws',
    );
    expect(socketUrl({ protocol: 'http:', host: 'localhost:8080' })).toBe(
      'ws://localhost:8080/api/v1/ws',
    );
  });
});
