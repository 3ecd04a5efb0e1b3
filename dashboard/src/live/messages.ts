/** Parses messages of the relay. An unknown type keeps its envelope, because its event id still counts. */
import { z } from '../api/zod';
import { parseJson } from '../lib/text/json';
import { metadata, nullableText, nullableNumber, text, textOrEmpty } from '../api/fields';

const body = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('timeline_event.created'),
    event_id: text,
    stage_id: nullableText,
    execution_id: nullableText,
    event_type: text,
    status: text,
    content: textOrEmpty,
    metadata,
    sequence_number: nullableNumber,
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
    stage_id: nullableText,
    stage_name: textOrEmpty,
    stage_index: nullableNumber,
    /** Only in the message that starts a synthesis. */
    joins_stage_id: nullableText,
    status: text,
  }),
  z.object({ type: z.literal('interaction.created') }),
  z.object({ type: z.literal('claims.checked') }),
  z.object({ type: z.literal('verdict.recorded') }),
  z.object({
    type: z.literal('session.progress'),
    current_stage_name: textOrEmpty,
    current_stage_index: nullableNumber,
    total_stages: nullableNumber,
    status_text: textOrEmpty,
  }),
  z.object({
    type: z.literal('execution.progress'),
    execution_id: nullableText,
    /** The timeline event of the tool call that reports progress. */
    event_id: nullableText,
    phase: textOrEmpty,
    message: textOrEmpty,
  }),
  z.object({
    type: z.literal('execution.status'),
    stage_id: nullableText,
    execution_id: nullableText,
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
  session_id: nullableText,
  channel: nullableText,
  timestamp: textOrEmpty,
  db_event_id: nullableNumber,
});

export type LiveBody = z.infer<typeof body>;

export interface LiveMessage {
  readonly type: string;
  readonly sessionId: string | null;
  readonly channel: string | null;
  readonly timestamp: string;
  /** Gapless sequence number per session; null for messages that are not stored. */
  readonly eventId: number | null;
  readonly body: LiveBody | null;
}

export type TimelineCreated = Extract<LiveBody, { type: 'timeline_event.created' }>;
export type TimelineCompleted = Extract<LiveBody, { type: 'timeline_event.completed' }>;
export type StageStatus = Extract<LiveBody, { type: 'stage.status' }>;
export type ExecutionProgress = Extract<LiveBody, { type: 'execution.progress' }>;
export type StreamChunk = Extract<LiveBody, { type: 'stream.chunk' }>;

/** Parses one frame; null when it is not a message. */
export function readMessage(frame: string): LiveMessage | null {
  const json = parseJson(frame);
  const header = envelope.safeParse(json);
  if (!header.success) return null;
  const parsed = body.safeParse(json);
  return {
    type: header.data.type,
    sessionId: header.data.session_id,
    channel: header.data.channel,
    timestamp: header.data.timestamp,
    eventId: header.data.db_event_id,
    body: parsed.success ? parsed.data : null,
  };
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
