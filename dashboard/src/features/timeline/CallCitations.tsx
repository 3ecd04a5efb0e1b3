import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { TimelineItem } from '../../live/reduce';
import { anchoredCall, callAnchor } from '../../lib/citations';
import { CitationContext, type Citations } from '../../ui/citations';
import { callNames, sameNames, TargetContext, type Target } from './calls';

interface CallCitationsProps {
  readonly items: readonly TimelineItem[];
  readonly children: ReactNode;
}

/** Makes the citations of a page lead to the tool calls of its timeline. */
export function CallCitations({ items, children }: CallCitationsProps) {
  const names = useCallNames(items);
  const last = useRef(0);
  const [target, setTarget] = useState<Target | null>(() => fromAddress(1));

  useEffect(() => {
    const changed = () => setTarget((before) => fromAddress((before?.visit ?? 0) + 1));
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }, []);

  const citations = useMemo<Citations>(
    () => ({
      nameOf: (number) => names.get(number),
      open: (number, from) => {
        window.history.replaceState(window.history.state, '', `#${callAnchor(number)}`);
        setTarget((before) => ({ number, from, visit: (before?.visit ?? 0) + 1 }));
      },
    }),
    [names],
  );
  const arrive = useCallback((visit: number) => {
    const fresh = visit > last.current;
    last.current = visit;
    return fresh;
  }, []);
  const targeting = useMemo(() => ({ target, arrive }), [target, arrive]);
  return (
    <CitationContext value={citations}>
      <TargetContext value={targeting}>{children}</TargetContext>
    </CitationContext>
  );
}

function fromAddress(visit: number): Target | null {
  const number = anchoredCall(window.location.hash);
  return number === null ? null : { number, visit, from: null };
}

/** The same map as long as no call was added: texts are drawn again only when there is a reason. */
function useCallNames(items: readonly TimelineItem[]): ReadonlyMap<number, string> {
  const fresh = useMemo(() => callNames(items), [items]);
  const [names, setNames] = useState(fresh);
  if (fresh !== names && !sameNames(fresh, names)) setNames(fresh);
  return names;
}
