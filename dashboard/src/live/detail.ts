/** What live messages change in a session's detail, before REST confirms it. */
import type { SessionDetail, Stage } from '../api/sessions';
import { isTerminal } from '../lib/status';
import type { LiveMessage, StageStatus } from './messages';

export function reduceDetail(detail: SessionDetail, message: LiveMessage): SessionDetail {
  const { body } = message;
  if (body?.type === 'session.status') return withStatus(detail, body.status);
  if (body?.type === 'stage.status') {
    return withStage(detail, body, message.timestamp);
  }
  if (body?.type === 'execution.status')
    return withExecution(detail, body.execution_id, body.status);
  return detail;
}

/** A finished session stays finished, whatever a late copy says. */
function withStatus(detail: SessionDetail, status: string): SessionDetail {
  if (detail.status === status || isTerminal(detail.status)) return detail;
  return { ...detail, status };
}

/** A stage not known yet is shown at once; REST tells the rest of it a moment later. */
function withStage(detail: SessionDetail, change: StageStatus, timestamp: string): SessionDetail {
  const status = change.status === 'started' ? 'active' : change.status;
  const index = detail.stages.findIndex((stage) => stage.id === change.stage_id);
  const stage = detail.stages[index];
  if (stage) {
    if (stage.status === status || isTerminal(stage.status)) return detail;
    return { ...detail, stages: detail.stages.with(index, { ...stage, status }) };
  }
  // After the end only questions begin stages; which, REST tells.
  if (change.stage_id === null || isTerminal(detail.status)) return detail;
  const fresh: Stage = {
    id: change.stage_id,
    stage_name: change.stage_name,
    stage_index: change.stage_index ?? detail.stages.length + 1,
    chat_id: null,
    status,
    parallel_type: null,
    expected_agent_count: 1,
    started_at: timestamp,
    completed_at: null,
    executions: [],
  };
  return { ...detail, stages: [...detail.stages, fresh] };
}

function withExecution(
  detail: SessionDetail,
  executionId: string | null,
  status: string,
): SessionDetail {
  const at = detail.stages.findIndex(({ executions }) =>
    executions.some((one) => one.execution_id === executionId && !isTerminal(one.status)),
  );
  const stage = detail.stages[at];
  if (!stage) return detail;
  const executions = stage.executions.map((one) =>
    one.execution_id === executionId ? { ...one, status } : one,
  );
  return { ...detail, stages: detail.stages.with(at, { ...stage, executions }) };
}

/**
 * The session as REST tells it, where an end that the live channel told already stands: an answer may
 * have been on its way while it came.
 */
export function mergeDetail(known: SessionDetail | undefined, fresh: SessionDetail): SessionDetail {
  if (known === undefined) return fresh;
  const stages = new Map(known.stages.map((stage) => [stage.id, stage]));
  return {
    ...fresh,
    status: latest(known.status, fresh.status),
    stages: fresh.stages.map((stage) => {
      const before = stages.get(stage.id);
      return before ? { ...stage, status: latest(before.status, stage.status) } : stage;
    }),
  };
}

function latest(known: string, fresh: string): string {
  return isTerminal(known) && !isTerminal(fresh) ? known : fresh;
}
