import { startTransition, useEffect, useState, type RefObject } from 'react';

/** Elements within this distance of the viewport count as near. */
const ROOT_MARGIN = '1200px 0px';

const callbacks = new Map<Element, () => void>();
/** One for all elements; it goes with the last of them. */
let observer: IntersectionObserver | null = null;

function observe(element: Element, onNear: () => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) callbacks.get(target)?.();
      }
    },
    { rootMargin: ROOT_MARGIN },
  );
  callbacks.set(element, onNear);
  observer.observe(element);
  return () => {
    observer?.unobserve(element);
    callbacks.delete(element);
    if (callbacks.size > 0) return;
    observer?.disconnect();
    observer = null;
  };
}

/**
 * True once the element has come near the viewport. Starts as `initial`, or as true in browsers without
 * IntersectionObserver.
 */
export function useNearViewport(element: RefObject<Element | null>, initial: boolean): boolean {
  const [near, setNear] = useState(initial || !('IntersectionObserver' in globalThis));
  useEffect(() => {
    if (near || element.current === null) return undefined;
    // What comes near is not in view yet: rendering it must not delay the frames of the scrolling.
    return observe(element.current, () => startTransition(() => setNear(true)));
  }, [near, element]);
  return near;
}
