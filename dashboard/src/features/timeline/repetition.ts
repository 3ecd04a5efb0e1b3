/** What the timeline has in common with the texts above it, so that the conclusion appears once. */
import { createContext, useEffect } from 'react';
import { ANALYSIS_ID, SUMMARY_ID } from '../../lib/browser/paths';
import type { Verdict } from '../../lib/session/verdict';
import type { TimelineItem } from '../../live/reduce';
import { focusInView } from '../../ui/layout/scroll';
import { useLinkedStep } from './calls';

export interface ShownAbove {
  readonly analysis: string | null;
  readonly summary: string | null;
  readonly verdict: Verdict | null;
}

/** Id of the response that is the final analysis; null without one. */
export const ConclusionContext = createContext<string | null>(null);

/** The element id of the text above the timeline that an item repeats; null when it repeats none. */
function shownAt({ event_type, content }: TimelineItem, shown: ShownAbove): string | null {
  if (event_type === 'final_analysis' && sameText(content, shown.analysis)) return ANALYSIS_ID;
  if (event_type === 'executive_summary' && sameText(content, shown.summary)) return SUMMARY_ID;
  return null;
}

/** The items without those that only repeat a text above the timeline. */
export function withoutRepetition(
  items: readonly TimelineItem[],
  shown: ShownAbove,
): readonly TimelineItem[] {
  const repeated = (item: TimelineItem) => shownAt(item, shown) !== null;
  return items.some(repeated) ? items.filter((item) => !repeated(item)) : items;
}

/** Scrolls to the text above the timeline, and focuses it, when the URL names a step that repeats it. */
export function useRepeatedStep(items: readonly TimelineItem[], shown: ShownAbove): void {
  const step = useLinkedStep();
  const item = step === null ? undefined : items.find(({ id }) => id === step);
  const place = item === undefined ? null : shownAt(item, shown);
  useEffect(() => {
    const element = place === null ? null : document.getElementById(place);
    return element === null ? undefined : focusInView(element);
  }, [place]);
}

/** Agents may write the same text: the last one wrote the final analysis. What follows the first question answers it. */
export function conclusionOf(items: readonly TimelineItem[], shown: ShownAbove): string | null {
  const question = items.findIndex(({ event_type }) => event_type === 'user_question');
  const investigation = question < 0 ? items : items.slice(0, question);
  const response = investigation.findLast(
    ({ event_type, status, content }) =>
      event_type === 'llm_response' && status === 'completed' && sameText(content, shown.analysis),
  );
  return response?.id ?? null;
}

function sameText(text: string, shown: string | null): boolean {
  return shown !== null && text.trim() !== '' && text.trim() === shown.trim();
}
