/**
 * The timeline of a session as a pure function of the received messages: stored events exactly once and in
 * order, streamed text by byte offset. Requests that close a gap are returned as effects.
 */
import type { TimelineEvent } from '../api/sessions';
import { isTerminal } from '../lib/session/status';
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
  /** UTF-8 length of `content`, cached so that appending a chunk does not scan the text. */
  readonly bytes: number;
  /** Progress message of a running tool call; not stored. */
  readonly progressMessage?: string;
}

export interface Progress {
  readonly phase: string;
  readonly message: string;
}

export interface FeedState {
  /** Sequence number of the last applied event; null accepts any number as the first one. */
  readonly lastEventId: number | null;
  readonly items: readonly TimelineItem[];
  /** Chunks of events whose creation has not arrived yet, by event id. */
  readonly orphans: Readonly<Record<string, StreamText>>;
  readonly progress: Readonly<Record<string, Progress>>;
}

/** catchup: request missed events from the relay; the others read the timeline, the session, its claims, its alerts. */
export type Effect = 'catchup' | 'reload' | 'detail' | 'claims' | 'alerts';

export interface Step {
  readonly state: FeedState;
  readonly effects: readonly Effect[];
}

export const emptyFeed: FeedState = { lastEventId: null, items: [], orphans: {}, progress: {} };

const MAX_ORPHANS = 32;

export function reduce(state: FeedState, message: LiveMessage): Step {
  const { eventId, body } = message;
  if (eventId === null) return body ? apply(state, body, message) : step(state);
  const last = state.lastEventId;
  if (last !== null && eventId <= last) return step(state);
  if (last !== null && eventId > last + 1) return step(state, 'catchup');
  // A stored event of another type, such as a change of the state of work, is in what is read of the session.
  const next = body ? apply(state, body, message) : step(state, 'detail');
  return { ...next, state: { ...next.state, lastEventId: eventId } };
}

export function reduceAll(state: FeedState, messages: readonly LiveMessage[]): Step {
  const effects = new Set<Effect>();
  let current = state;
  for (const message of messages) {
    const next = reduce(current, message);
    current = next.state;
    for (const effect of next.effects) effects.add(effect);
  }
  return { state: current, effects: [...effects] };
}

/** Merges a REST read of the timeline; of two versions of an event, the more complete one is kept. */
export function mergeTimeline(state: FeedState, events: readonly TimelineEvent[]): FeedState {
  const byId = new Map(state.items.map((item) => [item.id, item]));
  for (const event of events) {
    const local = byId.get(event.id);
    byId.set(event.id, local ? moreComplete(local, event) : withOrphanText(state, event));
  }
  const items = [...byId.values()].toSorted((a, b) => a.sequence_number - b.sequence_number);
  return { ...state, items, orphans: without(state.orphans, (id) => byId.has(id)) };
}

function step(state: FeedState, ...effects: Effect[]): Step {
  return { state, effects };
}

function apply(state: FeedState, body: LiveBody, message: LiveMessage): Step {
  switch (body.type) {
    case 'timeline_event.created':
      return step(created(state, body, message), ...createdEffects(body));
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
    case 'verdict.recorded':
      return step(state, 'detail');
    case 'claims.checked':
      return step(state, 'detail', 'claims');
    case 'catchup.overflow':
      return step({ ...state, lastEventId: null }, 'reload', 'detail', 'claims', 'alerts');
    default:
      return step(state);
  }
}

/** A fallback changes the active provider of an execution, which only the detail has. */
function createdEffects({ event_type }: TimelineCreated): readonly Effect[] {
  if (event_type === 'alert_received') return ['alerts'];
  return event_type === 'provider_fallback' ? ['detail'] : [];
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
    items: insert(state.items, withOrphanText(state, event)),
    orphans: without(state.orphans, (id) => id === body.event_id),
  };
}

function completed(state: FeedState, body: TimelineCompleted, message: LiveMessage): Step {
  const index = state.items.findLastIndex((item) => item.id === body.event_id);
  const item = state.items[index];
  if (!item) return step(state, 'reload');
  const { progressMessage: _, ...rest } = item;
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
  const updated = { ...item, content: text.content, bytes: text.bytes };
  return step({ ...state, items: state.items.with(index, updated) });
}

/** Chunks use another subject than stored events, so they may arrive before the creation of their event. */
function orphanChunk(state: FeedState, body: StreamChunk): Step {
  const orphan = state.orphans[body.event_id];
  if (!orphan && Object.keys(state.orphans).length >= MAX_ORPHANS) return step(state);
  const text = appendChunk(orphan ?? emptyText, body.offset, body.delta);
  if (text === null) return step(state, 'catchup');
  return step({ ...state, orphans: { ...state.orphans, [body.event_id]: text } });
}

function withOrphanText(state: FeedState, event: TimelineEvent): TimelineItem {
  const orphan = state.orphans[event.id];
  const own = textOf(event.content);
  const useOrphan = !isTerminal(event.status) && orphan !== undefined && orphan.bytes > own.bytes;
  return { ...event, ...(useOrphan ? orphan : own) };
}

/** Returns the more complete of two versions of an event. */
function moreComplete(local: TimelineItem, event: TimelineEvent): TimelineItem {
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
  const items = withProgressMessage(state.items, event_id, message);
  const executionId = body.execution_id ?? items.find(({ id }) => id === event_id)?.execution_id;
  if (typeof executionId !== 'string') return { ...state, items };
  return { ...state, items, progress: { ...state.progress, [executionId]: { phase, message } } };
}

function withProgressMessage(
  items: readonly TimelineItem[],
  eventId: string | null,
  progressMessage: string,
): readonly TimelineItem[] {
  const index = eventId === null ? -1 : items.findLastIndex((item) => item.id === eventId);
  const item = items[index];
  return item && !isTerminal(item.status) ? items.with(index, { ...item, progressMessage }) : items;
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
