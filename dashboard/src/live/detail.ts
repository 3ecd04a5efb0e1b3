/** Applies live messages to the session detail before the next REST read confirms them. */
import type { SessionDetail, Stage } from '../api/sessions';
import { isTerminal } from '../lib/session/status';
import type { LiveMessage, StageStatus } from './messages';

export function reduceDetail(detail: SessionDetail, message: LiveMessage): SessionDetail {
  const { body } = message;
  if (body?.type === 'session.status') return withStatus(detail, body.status);
  if (body?.type === 'stage.status') return withStage(detail, body, message.timestamp);
  if (body?.type === 'execution.status') {
    return withExecution(detail, body.execution_id, body.status);
  }
  return detail;
}

/** A terminal status is final: messages may be delivered late or twice. */
function withStatus(detail: SessionDetail, status: string): SessionDetail {
  if (detail.status === status || isTerminal(detail.status)) return detail;
  return { ...detail, status };
}

/** Adds an unknown stage with the fields of the message; the next REST read completes it. */
function withStage(detail: SessionDetail, change: StageStatus, timestamp: string): SessionDetail {
  const status = change.status === 'started' ? 'active' : change.status;
  const index = detail.stages.findIndex((stage) => stage.id === change.stage_id);
  const stage = detail.stages[index];
  if (stage) {
    if (stage.status === status || isTerminal(stage.status)) return detail;
    return { ...detail, stages: detail.stages.with(index, { ...stage, status }) };
  }
  // A stage that starts in a terminal session belongs to the chat; only REST has its chat id.
  if (change.stage_id === null || isTerminal(detail.status)) return detail;
  const added: Stage = {
    id: change.stage_id,
    stage_name: change.stage_name,
    stage_index: change.stage_index ?? detail.stages.length + 1,
    chat_id: null,
    joins_stage_id: change.joins_stage_id,
    status,
    parallel_type: null,
    expected_agent_count: 1,
    started_at: timestamp,
    completed_at: null,
    executions: [],
  };
  return { ...detail, stages: [...detail.stages, added] };
}

function withExecution(
  detail: SessionDetail,
  executionId: string | null,
  status: string,
): SessionDetail {
  const index = detail.stages.findIndex(({ executions }) =>
    executions.some((other) => other.execution_id === executionId && !isTerminal(other.status)),
  );
  const stage = detail.stages[index];
  if (!stage) return detail;
  const executions = stage.executions.map((execution) =>
    execution.execution_id === executionId ? { ...execution, status } : execution,
  );
  return { ...detail, stages: detail.stages.with(index, { ...stage, executions }) };
}

/**
 * Merges a REST read into the cached session. A terminal status from the live channel is kept, because
 * the REST response may be older.
 */
export function mergeDetail(
  cached: SessionDetail | undefined,
  loaded: SessionDetail,
): SessionDetail {
  if (cached === undefined) return loaded;
  const stages = new Map(cached.stages.map((stage) => [stage.id, stage]));
  return {
    ...loaded,
    status: latestStatus(cached.status, loaded.status),
    stages: loaded.stages.map((stage) => {
      const before = stages.get(stage.id);
      return before ? { ...stage, status: latestStatus(before.status, stage.status) } : stage;
    }),
  };
}

function latestStatus(cached: string, loaded: string): string {
  return isTerminal(cached) && !isTerminal(loaded) ? cached : loaded;
}
