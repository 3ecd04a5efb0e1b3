import type { SessionDetail, Stage } from '../../api/sessions';
import { isTerminal } from '../../lib/status';

/** The question that was asked last. */
export function lastTurn(session: SessionDetail): Stage | undefined {
  return session.stages.findLast((stage) => stage.chat_id !== null);
}

/** The question that is being answered, if one is. */
export function openTurn(session: SessionDetail): Stage | undefined {
  return session.stages.find((stage) => stage.chat_id !== null && !isTerminal(stage.status));
}
