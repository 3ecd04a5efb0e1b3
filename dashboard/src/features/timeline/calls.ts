/** Jumping from a citation to the card of the tool call that it names. */
import { createContext, useCallback, useContext, useEffect, useRef } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { settleAt } from '../../ui/settle';
import { readMeta, toolTitle } from './itemMeta';

/** The call a reader wants to see; each wish is a visit of its own. */
export interface Target {
  readonly number: number;
  readonly visit: number;
  /** Where it was cited; null for an address with the call in it. */
  readonly from: HTMLElement | null;
}

interface Targeting {
  readonly target: Target | null;
  /** Whether a visit has yet to reach its card; asked by the card, once a visit. */
  readonly arrive: (visit: number) => boolean;
}

export const TargetContext = createContext<Targeting>({ target: null, arrive: () => false });

/** Whether an item is the call with this number. */
export function hasCall(item: TimelineItem, number: number): boolean {
  return item.event_type === 'llm_tool_call' && readMeta(item).callNumber === number;
}

/** The names of all calls by their number. */
export function callNames(items: readonly TimelineItem[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const item of items) {
    if (item.event_type !== 'llm_tool_call') continue;
    const meta = readMeta(item);
    if (meta.callNumber !== null) names.set(meta.callNumber, toolTitle(meta));
  }
  return names;
}

export function sameNames(
  one: ReadonlyMap<number, string>,
  other: ReadonlyMap<number, string>,
): boolean {
  return one.size === other.size && [...one].every(([key, name]) => other.get(key) === name);
}

export function useTarget(): Target | null {
  return useContext(TargetContext).target;
}

/** Brings a card into view and gives it the focus when its call is wanted. */
export function useCallCard(number: number | null) {
  const { target, arrive } = useContext(TargetContext);
  const card = useRef<HTMLDivElement>(null);
  const wanted = number !== null && target?.number === number ? target : null;
  useEffect(() => {
    if (wanted === null || card.current === null || !arrive(wanted.visit)) return undefined;
    card.current.focus({ preventScroll: true });
    return settleAt(card.current);
  }, [wanted, arrive]);
  const from = wanted?.from ?? null;
  const back = useCallback(() => {
    from?.scrollIntoView({ block: 'center' });
    from?.focus({ preventScroll: true });
  }, [from]);
  return { card, wanted: wanted !== null, back: from === null ? null : back };
}
