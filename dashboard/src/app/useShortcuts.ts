import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import {
  focusPart,
  focusSearch,
  focusStep,
  isForField,
  selectRow,
  shortcutsEnabled,
} from '../lib/browser/shortcuts';
import { search as searchPage, usePages } from './navigation';

/** How long after `g` the second key counts. */
const SEQUENCE_MS = 1500;

export type Overlay = 'help' | 'commands' | null;

/** Handles the keyboard shortcuts of every page. Returns what is open above it. */
export function useShortcuts() {
  const [overlay, setOverlay] = useState<Overlay>(null);
  const navigate = useNavigate();
  const pages = usePages();
  const waitsUntil = useRef(0);

  function press(key: string): boolean {
    const second = performance.now() < waitsUntil.current;
    waitsUntil.current = 0;
    const page = second ? pages.find((entry) => entry.key === key) : undefined;
    if (page) void navigate(page.to);
    else if (key === 'g') waitsUntil.current = performance.now() + SEQUENCE_MS;
    else if (key === '?') setOverlay('help');
    else if (key === '/') {
      if (!focusSearch()) void navigate(searchPage.to);
    } else if (key === 'j' || key === 'k') focusStep(key === 'j' ? 1 : -1);
    else if (key === 'x') return selectRow();
    else return focusPart(key);
    return true;
  }

  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      // With Caps Lock it is an upper-case letter.
      if (event.key.toLowerCase() !== 'k' || event.shiftKey) return;
      event.preventDefault();
      setOverlay('commands');
    } else if (shortcutsEnabled() && !isForField(event) && press(event.key)) {
      event.preventDefault();
    }
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => handle(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  return { overlay, setOverlay };
}
