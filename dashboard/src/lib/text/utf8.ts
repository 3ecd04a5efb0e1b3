/** UTF-8 lengths: stream offsets count bytes, JavaScript strings count UTF-16 code units. */

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

/** Removes the first `bytes` bytes; null when that would split a character. */
export function dropBytes(text: string, bytes: number): string | null {
  let remaining = bytes;
  let index = 0;
  for (const character of text) {
    if (remaining === 0) break;
    remaining -= bytesOf(character.codePointAt(0) ?? 0);
    if (remaining < 0) return null;
    index += character.length;
  }
  return remaining === 0 ? text.slice(index) : null;
}
