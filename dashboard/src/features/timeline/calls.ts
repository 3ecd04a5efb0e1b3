/** Navigation from a citation to the card of the cited tool call. */
import { createContext, useCallback, useContext, useEffect, useRef } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { focusInView } from '../../ui/layout/scroll';
import { readMeta, toolTitle } from './itemMeta';

/** The call to show. Each navigation has its own `visit` number. */
export interface CallTarget {
  readonly number: number;
  readonly visit: number;
  /** The citation that was followed; null when the call comes from the URL. */
  readonly from: HTMLElement | null;
}

interface Navigation {
  /** Id of the step in the fragment of the URL. */
  readonly step: string | null;
  readonly target: CallTarget | null;
  /** Returns true once per visit, for the card that scrolls itself into view. */
  readonly consumeVisit: (visit: number) => boolean;
}

export const CallTargetContext = createContext<Navigation>({
  step: null,
  target: null,
  consumeVisit: () => false,
});

export function isCall(item: TimelineItem, number: number): boolean {
  return item.event_type === 'llm_tool_call' && readMeta(item).callNumber === number;
}

/** The numbers of the calls that returned an error, as a text that changes only with them. */
export function failedCalls(items: readonly TimelineItem[]): string {
  const failed = items.filter(
    (item) => item.event_type === 'llm_tool_call' && readMeta(item).isError,
  );
  return failed.map((item) => readMeta(item).callNumber).join(' ');
}

/** Tool names by call number. */
export function callNames(items: readonly TimelineItem[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const item of items) {
    if (item.event_type !== 'llm_tool_call') continue;
    const meta = readMeta(item);
    if (meta.callNumber !== null) names.set(meta.callNumber, toolTitle(meta));
  }
  return names;
}

export function useCallTarget(): CallTarget | null {
  return useContext(CallTargetContext).target;
}

/** The step that the URL names; null without one. */
export function useLinkedStep(): string | null {
  return useContext(CallTargetContext).step;
}

/** Scrolls a step into view and focuses it when the URL names it. */
export function useStepTarget(id: string) {
  const row = useRef<HTMLLIElement>(null);
  const linked = useLinkedStep() === id;
  useEffect(() => {
    return linked && row.current !== null ? focusInView(row.current) : undefined;
  }, [linked]);
  return row;
}

/** Scrolls the card of a call into view and focuses it when the call is the target. */
export function useCallCard(number: number | null) {
  const { target, consumeVisit } = useContext(CallTargetContext);
  const card = useRef<HTMLDivElement>(null);
  const own = number !== null && target?.number === number ? target : null;
  useEffect(() => {
    if (own === null || card.current === null || !consumeVisit(own.visit)) return undefined;
    return focusInView(card.current);
  }, [own, consumeVisit]);
  const from = own?.from ?? null;
  const back = useCallback(() => {
    from?.scrollIntoView({ block: 'center' });
    from?.focus({ preventScroll: true });
  }, [from]);
  return { card, targeted: own !== null, back: from === null ? null : back };
}
