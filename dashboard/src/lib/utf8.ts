/** Byte arithmetic on UTF-8 text: the stream counts in bytes, strings count in code units. */

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  if (codePoint < 0x1_0000) return 3;
  return 4;
}

export function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) bytes += bytesOf(character.codePointAt(0) ?? 0);
  return bytes;
}

/** The text behind its first `bytes` bytes, or null if that would cut a character in two. */
export function dropBytes(text: string, bytes: number): string | null {
  let left = bytes;
  let index = 0;
  for (const character of text) {
    if (left === 0) break;
    left -= bytesOf(character.codePointAt(0) ?? 0);
    if (left < 0) return null;
    index += character.length;
  }
  return left === 0 ? text.slice(index) : null;
}
