/** What the relay says, read once at the edge. Unknown types keep their envelope: they still count. */
import { z } from '../api/zod';
import { metadata, maybeText, maybeNumber, text, textOrEmpty } from '../api/fields';

const body = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('timeline_event.created'),
    event_id: text,
    stage_id: maybeText,
    execution_id: maybeText,
    event_type: text,
    status: text,
    content: textOrEmpty,
    metadata,
    sequence_number: maybeNumber,
  }),
  z.object({
    type: z.literal('timeline_event.completed'),
    event_id: text,
    event_type: textOrEmpty,
    status: text,
    content: textOrEmpty,
    metadata,
  }),
  z.object({ type: z.literal('stream.chunk'), event_id: text, delta: text, offset: z.number() }),
  z.object({ type: z.literal('session.status'), status: text }),
  z.object({
    type: z.literal('stage.status'),
    stage_id: maybeText,
    stage_name: textOrEmpty,
    stage_index: maybeNumber,
    status: text,
  }),
  z.object({ type: z.literal('interaction.created') }),
  z.object({
    type: z.literal('session.progress'),
    current_stage_name: textOrEmpty,
    current_stage_index: maybeNumber,
    total_stages: maybeNumber,
    status_text: textOrEmpty,
  }),
  z.object({
    type: z.literal('execution.progress'),
    execution_id: maybeText,
    /** The tool call that tells how far it is. */
    event_id: maybeText,
    phase: textOrEmpty,
    message: textOrEmpty,
  }),
  z.object({
    type: z.literal('execution.status'),
    stage_id: maybeText,
    execution_id: maybeText,
    status: text,
  }),
  z.object({ type: z.literal('catchup.overflow') }),
  z.object({ type: z.literal('subscription.confirmed') }),
  z.object({ type: z.literal('subscription.error'), message: textOrEmpty }),
  z.object({ type: z.literal('connection.established') }),
  z.object({ type: z.literal('connection.degraded'), message: textOrEmpty }),
  z.object({ type: z.literal('connection.recovered') }),
  z.object({ type: z.literal('pong') }),
]);

const envelope = z.object({
  type: text,
  session_id: maybeText,
  channel: maybeText,
  timestamp: textOrEmpty,
  db_event_id: maybeNumber,
});

export type LiveBody = z.infer<typeof body>;

export interface LiveMessage {
  readonly type: string;
  readonly sessionId: string | null;
  readonly channel: string | null;
  readonly timestamp: string;
  /** The place in the session's gapless order; null for what is not stored. */
  readonly eventId: number | null;
  readonly body: LiveBody | null;
}

export type TimelineCreated = Extract<LiveBody, { type: 'timeline_event.created' }>;
export type TimelineCompleted = Extract<LiveBody, { type: 'timeline_event.completed' }>;
export type StageStatus = Extract<LiveBody, { type: 'stage.status' }>;
export type ExecutionProgress = Extract<LiveBody, { type: 'execution.progress' }>;
export type StreamChunk = Extract<LiveBody, { type: 'stream.chunk' }>;

/** Reads one frame; null if it is not a message at all. */
export function readMessage(frame: string): LiveMessage | null {
  const json = parseJson(frame);
  const head = envelope.safeParse(json);
  if (!head.success) return null;
  const known = body.safeParse(json);
  return {
    type: head.data.type,
    sessionId: head.data.session_id,
    channel: head.data.channel,
    timestamp: head.data.timestamp,
    eventId: head.data.db_event_id,
    body: known.success ? known.data : null,
  };
}

function parseJson(frame: string): unknown {
  try {
    const json: unknown = JSON.parse(frame);
    return json;
  } catch {
    return null;
  }
}

export type ClientMessage =
  | { readonly action: 'ping' }
  | { readonly action: 'unsubscribe'; readonly channel: string }
  | {
      readonly action: 'subscribe' | 'catchup';
      readonly channel: string;
      readonly last_event_id?: number;
    };

export const SESSIONS_CHANNEL = 'sessions';

export function sessionChannel(id: string): string {
  return `session:${id}`;
}
