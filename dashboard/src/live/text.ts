/** The growing text of one streaming event. Offsets count UTF-8 bytes. */
import { byteLength, dropBytes } from '../lib/utf8';

export interface StreamText {
  readonly content: string;
  readonly bytes: number;
}

export const emptyText: StreamText = { content: '', bytes: 0 };

export function textOf(content: string): StreamText {
  return { content, bytes: byteLength(content) };
}

/** Adds a piece at its offset. What is already there is skipped; null means a piece is missing. */
export function appendChunk(text: StreamText, offset: number, delta: string): StreamText | null {
  if (offset > text.bytes) return null;
  const end = offset + byteLength(delta);
  if (end <= text.bytes) return text;
  const fresh = dropBytes(delta, text.bytes - offset);
  return fresh === null ? null : { content: text.content + fresh, bytes: end };
}
