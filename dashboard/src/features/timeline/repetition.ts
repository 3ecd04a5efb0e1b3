/** What the timeline has in common with the texts above it, so that the conclusion appears once. */
import { createContext } from 'react';
import type { Verdict } from '../../lib/verdict';
import type { TimelineItem } from '../../live/reduce';

export interface ShownAbove {
  readonly analysis: string | null;
  readonly summary: string | null;
  readonly verdict: Verdict | null;
}

/** Id of the response that is the final analysis; null without one. */
export const ConclusionContext = createContext<string | null>(null);

/** The items without those that only repeat a text above the timeline. */
export function withoutRepetition(
  items: readonly TimelineItem[],
  shown: ShownAbove,
): readonly TimelineItem[] {
  const repeated = ({ event_type, content }: TimelineItem) =>
    (event_type === 'final_analysis' && sameText(content, shown.analysis)) ||
    (event_type === 'executive_summary' && sameText(content, shown.summary));
  return items.some(repeated) ? items.filter((item) => !repeated(item)) : items;
}

/** Agents may write the same text: the last one wrote the final analysis. */
export function conclusionOf(items: readonly TimelineItem[], shown: ShownAbove): string | null {
  const response = items.findLast(
    ({ event_type, status, content }) =>
      event_type === 'llm_response' && status === 'completed' && sameText(content, shown.analysis),
  );
  return response?.id ?? null;
}

function sameText(text: string, shown: string | null): boolean {
  return shown !== null && text.trim() !== '' && text.trim() === shown.trim();
}
