/** Chat turns: the stages of a session that answer a question. */
import type { SessionDetail, Stage } from '../../api/sessions';
import { isTerminal } from '../../lib/session/status';

export function lastTurn(session: SessionDetail): Stage | undefined {
  return session.stages.findLast((stage) => stage.chat_id !== null);
}

/** The turn that is queued or running. A session has at most one. */
export function activeTurn(session: SessionDetail): Stage | undefined {
  return session.stages.find((stage) => stage.chat_id !== null && !isTerminal(stage.status));
}
