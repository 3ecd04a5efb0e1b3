/** What live messages change in a session's detail, before REST confirms it. */
import type { SessionDetail } from '../api/sessions';
import { isTerminal } from '../lib/status';
import type { LiveMessage } from './messages';

export function reduceDetail(detail: SessionDetail, message: LiveMessage): SessionDetail {
  const { body } = message;
  if (body?.type === 'session.status') return withStatus(detail, body.status);
  if (body?.type === 'stage.status') {
    return withStage(detail, body.stage_id, body.status === 'started' ? 'active' : body.status);
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

function withStage(detail: SessionDetail, stageId: string | null, status: string): SessionDetail {
  const index = detail.stages.findIndex((stage) => stage.id === stageId);
  const stage = detail.stages[index];
  if (!stage || stage.status === status || isTerminal(stage.status)) return detail;
  return { ...detail, stages: detail.stages.with(index, { ...stage, status }) };
}

function withExecution(
  detail: SessionDetail,
  executionId: string | null,
  status: string,
): SessionDetail {
  const stages = detail.stages.map((stage) => ({
    ...stage,
    executions: stage.executions.map((execution) =>
      execution.execution_id === executionId && !isTerminal(execution.status)
        ? { ...execution, status }
        : execution,
    ),
  }));
  return { ...detail, stages };
}
