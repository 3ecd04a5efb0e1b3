/** The text of a streaming event. Offsets count UTF-8 bytes. */
import { byteLength, dropBytes } from '../lib/text/utf8';

export interface StreamText {
  readonly content: string;
  readonly bytes: number;
}

export const emptyText: StreamText = { content: '', bytes: 0 };

export function textOf(content: string): StreamText {
  return { content, bytes: byteLength(content) };
}

/** Appends a chunk at its offset. Skips bytes that are already there; null means that a chunk is missing. */
export function appendChunk(text: StreamText, offset: number, delta: string): StreamText | null {
  if (offset > text.bytes) return null;
  const end = offset + byteLength(delta);
  if (end <= text.bytes) return text;
  const rest = dropBytes(delta, text.bytes - offset);
  return rest === null ? null : { content: text.content + rest, bytes: end };
}
