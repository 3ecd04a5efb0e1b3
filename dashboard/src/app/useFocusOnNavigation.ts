import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** Moves the focus to the content of the page after a navigation, for keyboards and screen readers. */
export function useFocusOnNavigation(id: string): void {
  const { pathname } = useLocation();
  const previous = useRef(pathname);
  useEffect(() => {
    if (previous.current === pathname) return;
    previous.current = pathname;
    const content = document.getElementById(id);
    // A page that has just focused a field of its own keeps it there.
    if (content?.contains(document.activeElement)) return;
    content?.focus({ preventScroll: true });
  }, [id, pathname]);
}
