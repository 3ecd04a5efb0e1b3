import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** Moves the focus to the content of the page after a navigation, for keyboards and screen readers. */
export function useFocusOnNavigation(id: string): void {
  const { pathname } = useLocation();
  const previous = useRef(pathname);
  useEffect(() => {
    if (previous.current === pathname) return;
    previous.current = pathname;
    document.getElementById(id)?.focus({ preventScroll: true });
  }, [id, pathname]);
}
