/** Parses citations such as `[call 3]` in model output: the numbers of the tool calls that support a claim. */

export interface CitedCall {
  readonly number: number;
  readonly text: string;
}

export type CitationPart = string | CitedCall;

const citation = /\[\s*calls?\s+\d{1,6}(?:\s*(?:,|;|&|-|–|and)\s*(?:calls?\s+)?\d{1,6})*\s*\]/gi;
const cited = /(?:calls?\s+)?(\d{1,6})/gi;

/** Splits a text into plain parts and cited calls, in order. */
export function splitCitations(text: string): readonly CitationPart[] {
  if (!text.includes('[')) return [text];
  const parts: CitationPart[] = [];
  let end = 0;
  for (const group of text.matchAll(citation)) {
    for (const match of group[0].matchAll(cited)) {
      const start = group.index + match.index;
      if (start > end) parts.push(text.slice(end, start));
      parts.push({ number: Number(match[1]), text: match[0] });
      end = start + match[0].length;
    }
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** The element id of a call on the session page. */
export function callAnchor(number: number): string {
  return `call-${number}`;
}

/** The call number in a URL fragment such as `#call-3`. */
export function callFromHash(hash: string | null | undefined): number | null {
  const match = /^#call-(\d{1,6})$/.exec(hash ?? '');
  return match ? Number(match[1]) : null;
}
