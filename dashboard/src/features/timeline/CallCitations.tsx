import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { callAnchor, callFromHash } from '../../lib/session/citations';
import { stepFromHash } from '../../lib/browser/paths';
import { sameMap } from '../../lib/values/maps';
import { CitationContext, type Citations } from '../../ui/markdown/citations';
import { CallTargetContext, callNames, failedCalls, type CallTarget } from './calls';

interface CallCitationsProps {
  readonly items: readonly TimelineItem[];
  readonly children: ReactNode;
}

/** Links the citations of the page to the tool calls of its timeline. */
export function CallCitations({ items, children }: CallCitationsProps) {
  const names = useCallNames(items);
  const failed = useMemo(() => failedCalls(items), [items]);
  const { target, step, setTarget } = useHashTarget();
  const lastVisit = useRef(0);
  const citations = useMemo<Citations>(() => {
    const failures = new Set(failed.split(' ').map(Number));
    return {
      callName: (number) => names.get(number),
      callFailed: (number) => failures.has(number),
      openCall: (number, from) => {
        window.history.replaceState(window.history.state, '', `#${callAnchor(number)}`);
        setTarget((previous) => ({ number, from, visit: (previous?.visit ?? 0) + 1 }));
      },
    };
  }, [names, failed, setTarget]);
  const consumeVisit = useCallback((visit: number) => {
    const isNew = visit > lastVisit.current;
    lastVisit.current = visit;
    return isNew;
  }, []);
  const navigation = useMemo(() => ({ target, step, consumeVisit }), [target, step, consumeVisit]);
  return (
    <CitationContext value={citations}>
      <CallTargetContext value={navigation}>{children}</CallTargetContext>
    </CitationContext>
  );
}

/** The target call and the linked step, initially those in the fragment of the URL. */
function useHashTarget() {
  const [target, setTarget] = useState<CallTarget | null>(() => targetFromHash(1));
  const [step, setStep] = useState(() => stepFromHash(window.location.hash));
  useEffect(() => {
    const update = () => {
      setStep(stepFromHash(window.location.hash));
      setTarget((previous) => targetFromHash((previous?.visit ?? 0) + 1));
    };
    window.addEventListener('hashchange', update);
    return () => window.removeEventListener('hashchange', update);
  }, []);
  return { target, step, setTarget };
}

function targetFromHash(visit: number): CallTarget | null {
  const number = callFromHash(window.location.hash);
  return number === null ? null : { number, visit, from: null };
}

/** Returns the same map until a call is added, so that texts with citations are not rendered again. */
function useCallNames(items: readonly TimelineItem[]): ReadonlyMap<number, string> {
  const latest = useMemo(() => callNames(items), [items]);
  const [names, setNames] = useState(latest);
  if (latest !== names && !sameMap(latest, names)) setNames(latest);
  return names;
}
