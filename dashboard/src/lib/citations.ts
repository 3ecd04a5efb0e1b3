/** Finds `[call 3]` in what a model writes: the numbers of the tool calls that its claims rest on. */

export interface CitedCall {
  readonly number: number;
  readonly text: string;
}

export type CitationPart = string | CitedCall;

const citation = /\[\s*calls?\s+\d{1,6}(?:\s*(?:,|;|&|-|–|and)\s*(?:calls?\s+)?\d{1,6})*\s*\]/gi;
const cited = /(?:calls?\s+)?(\d{1,6})/gi;

/** The text in order, in which each cited call stands for itself. */
export function splitCitations(text: string): readonly CitationPart[] {
  if (!text.includes('[')) return [text];
  const parts: CitationPart[] = [];
  let end = 0;
  for (const group of text.matchAll(citation)) {
    for (const one of group[0].matchAll(cited)) {
      const start = group.index + one.index;
      if (start > end) parts.push(text.slice(end, start));
      parts.push({ number: Number(one[1]), text: one[0] });
      end = start + one[0].length;
    }
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** The anchor of a call on its page. */
export function callAnchor(number: number): string {
  return `call-${number}`;
}

/** The call that an address points at: `#call-3`. */
export function anchoredCall(hash: string | null | undefined): number | null {
  const found = /^#call-(\d{1,6})$/.exec(hash ?? '');
  return found ? Number(found[1]) : null;
}
