/** The questions about a session with their answers, read from its timeline. */
import type { SessionDetail, Stage } from '../../api/sessions';
import { writerOf, type Writer } from '../../lib/session/agents';
import { isTerminal } from '../../lib/session/status';
import type { TimelineItem } from '../../live/reduce';

export interface Exchange {
  readonly id: string;
  readonly question: string;
  /** The response that is, or becomes, the answer; null before it begins. */
  readonly answer: TimelineItem | null;
  /** Who writes the answer; null before its agent has a provider. */
  readonly writer: Writer | null;
  /** Shown while there is no answer. */
  readonly state: string;
}

/** A question that was sent; its turn is null until the API has accepted it. */
export interface SentQuestion {
  readonly content: string;
  readonly turn: string | null;
}

/** The turns in order, followed by a question that was sent and is not on the timeline yet. */
export function readExchanges(
  session: SessionDetail,
  items: readonly TimelineItem[],
  sent: SentQuestion | null,
): readonly Exchange[] {
  const turns = session.stages.filter(({ chat_id }) => chat_id !== null);
  const known = turns.flatMap((turn) => readTurn(turn, items));
  if (sent === null || known.some(({ id }) => id === sent.turn)) return known;
  const id = sent.turn ?? 'sent';
  return [...known, { id, question: sent.content, answer: null, writer: null, state: 'Sending…' }];
}

function readTurn(turn: Stage, items: readonly TimelineItem[]): readonly Exchange[] {
  const own = items.filter(({ stage_id }) => stage_id === turn.id);
  const question = own.find(({ event_type }) => event_type === 'user_question');
  if (!question) return [];
  const answer = own.findLast(({ event_type }) => event_type === 'llm_response') ?? null;
  const writer = writerOf(turn.executions);
  const state = describe(turn.status);
  return [{ id: turn.id, question: question.content, answer, writer, state }];
}

function describe(status: string): string {
  if (status === 'pending') return 'Queued…';
  return isTerminal(status) ? 'No answer. See the timeline.' : 'Working on it…';
}
