import { expect, it } from 'vitest';
import type { SessionDetail } from '../api/sessions';
import { mergeDetail, reduceDetail } from './detail';
import { readMessage, type LiveMessage } from './messages';

const detail: SessionDetail = {
  id: 's',
  alert_type: null,
  chain_id: '',
  waiting_for_approval: false,
  status: 'in_progress',
  author: null,
  score: null,
  triage: 'new',
  triage_entries: 0,
  assignee: null,
  created_at: '',
  started_at: null,
  completed_at: null,
  duration_ms: null,
  error_message: null,
  failure: null,
  executive_summary: null,
  finding: null,
  verdict_failure: null,
  failed_tools: [],
  prices: [],
  claims: null,
  degraded: false,
  degraded_reasons: [],
  llm_interaction_count: 0,
  mcp_interaction_count: 0,
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  tokens_estimated: false,
  cost_micro_usd: null,
  unpriced_llm_calls: 0,
  total_stages: 1,
  completed_stages: 0,
  has_parallel_stages: false,
  title: null,
  severity: null,
  service: null,
  namespace: null,
  cluster: null,
  fingerprint: null,
  earlier_sessions: { count: 0, last_session_id: null },
  review: null,
  origin: 'alert',
  replay_of: null,
  links: [],
  labels: {},
  seen_before: [],
  recalled: [],
  dependencies: [],
  changes: [],
  actions: [],
  slack_message_fingerprint: null,
  mcp_selection: null,
  requested_provider: null,
  alert_data: '',
  final_analysis: null,
  executive_summary_error: null,
  verdict: null,
  last_event_id: null,
  runbook_url: null,
  chat_enabled: true,
  budget: null,
  stages: [
    {
      id: 'one',
      stage_name: 'One',
      stage_index: 1,
      chat_id: null,
      joins_stage_id: null,
      status: 'pending',
      parallel_type: null,
      expected_agent_count: 1,
      started_at: null,
      completed_at: null,
      executions: [],
    },
  ],
};

function message(body: object): LiveMessage {
  const read = readMessage(JSON.stringify({ session_id: 's', ...body }));
  if (read === null) throw new Error('unreadable');
  return read;
}

it('a stage that started is active', () => {
  const body = { type: 'stage.status', stage_id: 'one', stage_name: 'One', status: 'started' };
  expect(reduceDetail(detail, message(body)).stages[0]?.status).toBe('active');
});

it('an unknown stage is added', () => {
  const body = { type: 'stage.status', stage_id: 'two', stage_name: 'Two', status: 'started' };
  const { stages } = reduceDetail(detail, message({ ...body, timestamp: 't' }));
  expect(stages.map(({ stage_name, status }) => `${stage_name} ${status}`)).toEqual([
    'One pending',
    'Two active',
  ]);
});

it('a synthesis that is added joins its stage', () => {
  const body = { type: 'stage.status', stage_id: 'two', stage_name: 'Two', status: 'started' };
  const { stages } = reduceDetail(detail, message({ ...body, joins_stage_id: 'one' }));
  expect(stages[1]?.joins_stage_id).toBe('one');
});

it('a stage that starts after the end is not a stage of the chain', () => {
  const ended = { ...detail, status: 'completed' };
  const body = { type: 'stage.status', stage_id: 'two', stage_name: 'Two', status: 'started' };
  expect(reduceDetail(ended, message(body))).toBe(ended);
});

it('a late message does not reopen a finished session', () => {
  const done = reduceDetail(detail, message({ type: 'session.status', status: 'completed' }));
  expect(done.status).toBe('completed');
  expect(reduceDetail(done, message({ type: 'session.status', status: 'in_progress' }))).toBe(done);
});

it('an older REST response does not undo a terminal status', () => {
  const ended = reduceDetail(detail, message({ type: 'session.status', status: 'completed' }));
  const stage = { type: 'stage.status', stage_id: 'one', stage_name: 'One', status: 'failed' };
  const known = reduceDetail(ended, message(stage));
  const merged = mergeDetail(known, { ...detail, total_tokens: 7 });
  expect([merged.status, merged.stages[0]?.status]).toEqual(['completed', 'failed']);
  expect(merged.total_tokens).toBe(7);
  expect(mergeDetail(undefined, detail)).toBe(detail);
  expect(mergeDetail(detail, ended).status).toBe('completed');
});

it('an unrelated message does not change the detail', () => {
  expect(reduceDetail(detail, message({ type: 'pong' }))).toBe(detail);
});
