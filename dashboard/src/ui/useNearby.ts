import { useEffect, useState, type RefObject } from 'react';

/** What is so near to the window is drawn before it is reached. */
const AHEAD = '1200px 0px';

const places = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | null = null;

function watch(place: Element, near: () => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) places.get(target)?.();
    },
    { rootMargin: AHEAD },
  );
  const shared = observer;
  places.set(place, near);
  shared.observe(place);
  return () => {
    shared.unobserve(place);
    places.delete(place);
  };
}

/** Whether a place has come near the window once; true from the beginning where nobody can tell. */
export function useNearby(place: RefObject<Element | null>, from: boolean): boolean {
  const [near, setNear] = useState(from || !('IntersectionObserver' in globalThis));
  useEffect(() => {
    if (near || place.current === null) return undefined;
    return watch(place.current, () => setNear(true));
  }, [near, place]);
  return near;
}
