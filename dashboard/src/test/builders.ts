/** Complete API responses; a test overrides the fields it is about. */
export function sessionItem(changes: object = {}) {
  return {
    id: 'aaaaaaaa-0000-7000-8000-000000000001',
    alert_type: 'HostDiskPressure',
    chain_id: 'host-health',
    status: 'completed',
    author: 'api-client',
    created_at: '2026-11-22T01:00:00.123456789Z',
    started_at: '2026-11-22T01:00:01Z',
    completed_at: '2026-11-22T01:01:01Z',
    duration_ms: 60_000,
    error_message: null,
    failure: null,
    executive_summary: 'The disk is full.',
    llm_interaction_count: 4,
    mcp_interaction_count: 3,
    input_tokens: 18_000,
    output_tokens: 2_500,
    total_tokens: 20_500,
    tokens_estimated: false,
    cost_micro_usd: 91_500,
    unpriced_llm_calls: 0,
    total_stages: 1,
    completed_stages: 1,
    ...changes,
  };
}

export function sessionDetail(changes: object = {}) {
  return {
    ...sessionItem(),
    alert_data: '{"alert":"HostDiskPressure"}',
    final_analysis: null,
    executive_summary_error: null,
    last_event_id: null,
    runbook_url: null,
    stages: [
      {
        id: 'stage-1',
        stage_name: 'Diagnosis',
        stage_index: 1,
        status: 'active',
        expected_agent_count: 1,
        started_at: '2026-11-22T01:00:01Z',
        executions: [
          { execution_id: 'exec-1', agent_name: 'HostAgent', agent_index: 1, status: 'active' },
        ],
      },
    ],
    ...changes,
  };
}

export function timelineEvent(changes: object = {}) {
  return {
    id: 'event-1',
    session_id: 'aaaaaaaa-0000-7000-8000-000000000001',
    stage_id: 'stage-1',
    execution_id: 'exec-1',
    sequence_number: 1,
    event_type: 'llm_response',
    status: 'completed',
    content: 'Hello',
    metadata: null,
    created_at: '2026-11-22T01:00:02Z',
    updated_at: '2026-11-22T01:00:04Z',
    ...changes,
  };
}

export function sessionPage(sessions: readonly object[], changes: object = {}) {
  return {
    sessions: [...sessions],
    pagination: {
      page: 1,
      page_size: 25,
      total_pages: 1,
      total_items: sessions.length,
      ...changes,
    },
  };
}
