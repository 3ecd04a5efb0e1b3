/**
 * The timeline of a session as a pure function of what arrived: stored events exactly once and in
 * order, streamed text by byte offset. What the rim must do about a gap is returned, not done.
 */
import type { TimelineEvent } from '../api/sessions';
import { isTerminal } from '../lib/status';
import type {
  ExecutionProgress,
  LiveBody,
  LiveMessage,
  StreamChunk,
  TimelineCompleted,
  TimelineCreated,
} from './messages';
import { appendChunk, emptyText, textOf, type StreamText } from './text';

export interface TimelineItem extends TimelineEvent {
  /** The UTF-8 length of `content`, kept so that a chunk costs only its own size. */
  readonly bytes: number;
  /** What a running tool says about how far it is; never stored. */
  readonly note?: string;
}

export interface Progress {
  readonly phase: string;
  readonly message: string;
}

export interface FeedState {
  /** The last stored event applied; null accepts whichever comes next as the beginning. */
  readonly lastEventId: number | null;
  readonly items: readonly TimelineItem[];
  /** Text of events whose creation has not been seen yet. */
  readonly orphans: Readonly<Record<string, StreamText>>;
  readonly progress: Readonly<Record<string, Progress>>;
}

/** catchup: ask the relay again · reload: read the timeline over REST · detail: read the session. */
export type Need = 'catchup' | 'reload' | 'detail';

export interface Step {
  readonly state: FeedState;
  readonly needs: readonly Need[];
}

export const emptyFeed: FeedState = { lastEventId: null, items: [], orphans: {}, progress: {} };

const MAX_ORPHANS = 32;

export function reduce(state: FeedState, message: LiveMessage): Step {
  const { eventId, body } = message;
  if (eventId === null) return body ? apply(state, body, message) : step(state);
  const last = state.lastEventId;
  if (last !== null && eventId <= last) return step(state);
  if (last !== null && eventId > last + 1) return step(state, 'catchup');
  const next = body ? apply(state, body, message) : step(state);
  return { ...next, state: { ...next.state, lastEventId: eventId } };
}

export function reduceAll(state: FeedState, messages: readonly LiveMessage[]): Step {
  const needs = new Set<Need>();
  let current = state;
  for (const message of messages) {
    const next = reduce(current, message);
    current = next.state;
    for (const need of next.needs) needs.add(need);
  }
  return { state: current, needs: [...needs] };
}

/** Brings in the timeline as REST tells it; what is already known to be further stays. */
export function mergeTimeline(state: FeedState, events: readonly TimelineEvent[]): FeedState {
  const known = new Map(state.items.map((item) => [item.id, item]));
  for (const event of events) {
    const local = known.get(event.id);
    known.set(event.id, local ? further(local, event) : adopt(state, event));
  }
  const items = [...known.values()].toSorted((a, b) => a.sequence_number - b.sequence_number);
  return { ...state, items, orphans: without(state.orphans, (id) => known.has(id)) };
}

function step(state: FeedState, ...needs: Need[]): Step {
  return { state, needs };
}

function apply(state: FeedState, body: LiveBody, message: LiveMessage): Step {
  switch (body.type) {
    case 'timeline_event.created':
      return step(created(state, body, message));
    case 'timeline_event.completed':
      return completed(state, body, message);
    case 'stream.chunk':
      return chunk(state, body);
    case 'execution.progress':
      return step(progressed(state, body));
    case 'execution.status':
      return step(executionChanged(state, body.execution_id ?? '', body.status));
    case 'session.status':
      return step(isTerminal(body.status) ? { ...state, progress: {} } : state, 'detail');
    case 'stage.status':
    case 'interaction.created':
      return step(state, 'detail');
    case 'catchup.overflow':
      return step({ ...state, lastEventId: null }, 'reload', 'detail');
    default:
      return step(state);
  }
}

function created(state: FeedState, body: TimelineCreated, message: LiveMessage): FeedState {
  if (state.items.some((item) => item.id === body.event_id)) return state;
  const event: TimelineEvent = {
    id: body.event_id,
    session_id: message.sessionId ?? '',
    stage_id: body.stage_id,
    execution_id: body.execution_id,
    sequence_number: body.sequence_number ?? (state.items.at(-1)?.sequence_number ?? 0) + 1,
    event_type: body.event_type,
    status: body.status,
    content: body.content,
    metadata: body.metadata,
    created_at: message.timestamp,
    updated_at: null,
  };
  return {
    ...state,
    items: insert(state.items, adopt(state, event)),
    orphans: without(state.orphans, (id) => id === body.event_id),
  };
}

function completed(state: FeedState, body: TimelineCompleted, message: LiveMessage): Step {
  const index = state.items.findLastIndex((item) => item.id === body.event_id);
  const item = state.items[index];
  if (!item) return step(state, 'reload');
  const { note: _, ...rest } = item;
  const done: TimelineItem = {
    ...rest,
    ...textOf(body.content),
    status: body.status,
    metadata: item.metadata || body.metadata ? { ...item.metadata, ...body.metadata } : null,
    updated_at: message.timestamp || item.updated_at,
  };
  return step({ ...state, items: state.items.with(index, done) });
}

function chunk(state: FeedState, body: StreamChunk): Step {
  const index = state.items.findLastIndex((item) => item.id === body.event_id);
  const item = state.items[index];
  if (!item) return orphanChunk(state, body);
  if (isTerminal(item.status)) return step(state);
  const text = appendChunk(item, body.offset, body.delta);
  if (text === null) return step(state, 'catchup');
  if (text.bytes === item.bytes) return step(state);
  const grown = { ...item, content: text.content, bytes: text.bytes };
  return step({ ...state, items: state.items.with(index, grown) });
}

/** Chunks travel on another road than stored events and may overtake the creation of theirs. */
function orphanChunk(state: FeedState, body: StreamChunk): Step {
  const known = state.orphans[body.event_id];
  if (!known && Object.keys(state.orphans).length >= MAX_ORPHANS) return step(state);
  const text = appendChunk(known ?? emptyText, body.offset, body.delta);
  if (text === null) return step(state, 'catchup');
  return step({ ...state, orphans: { ...state.orphans, [body.event_id]: text } });
}

function adopt(state: FeedState, event: TimelineEvent): TimelineItem {
  const orphan = state.orphans[event.id];
  const own = textOf(event.content);
  const useOrphan = !isTerminal(event.status) && orphan !== undefined && orphan.bytes > own.bytes;
  return { ...event, ...(useOrphan ? orphan : own) };
}

/** Of two reports about one event, the one that knows more. */
function further(local: TimelineItem, event: TimelineEvent): TimelineItem {
  if (isTerminal(event.status)) return { ...event, ...textOf(event.content) };
  if (isTerminal(local.status)) return local;
  const text = textOf(event.content);
  return text.bytes > local.bytes ? { ...event, ...text } : local;
}

function insert(items: readonly TimelineItem[], item: TimelineItem): readonly TimelineItem[] {
  const before = items.findLastIndex((other) => other.sequence_number <= item.sequence_number);
  return items.toSpliced(before + 1, 0, item);
}

function progressed(state: FeedState, body: ExecutionProgress): FeedState {
  const { phase, message, event_id } = body;
  const items = noted(state.items, event_id, message);
  const about = body.execution_id ?? items.find(({ id }) => id === event_id)?.execution_id;
  if (typeof about !== 'string') return { ...state, items };
  return { ...state, items, progress: { ...state.progress, [about]: { phase, message } } };
}

function noted(
  items: readonly TimelineItem[],
  eventId: string | null,
  note: string,
): readonly TimelineItem[] {
  const index = eventId === null ? -1 : items.findLastIndex((item) => item.id === eventId);
  const item = items[index];
  return item && !isTerminal(item.status) ? items.with(index, { ...item, note }) : items;
}

function executionChanged(state: FeedState, executionId: string, status: string): FeedState {
  if (!isTerminal(status)) return state;
  return { ...state, progress: without(state.progress, (id) => id === executionId) };
}

function without<T>(
  record: Readonly<Record<string, T>>,
  drop: (key: string) => boolean,
): Readonly<Record<string, T>> {
  const entries = Object.entries(record);
  if (!entries.some(([key]) => drop(key))) return record;
  return Object.fromEntries(entries.filter(([key]) => !drop(key)));
}
