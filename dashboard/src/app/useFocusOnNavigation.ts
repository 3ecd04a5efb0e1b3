import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** After a change of page the keyboard and the screen reader go on at its content. */
export function useFocusOnNavigation(id: string): void {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    document.getElementById(id)?.focus({ preventScroll: true });
  }, [id, pathname]);
}
