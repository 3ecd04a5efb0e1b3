import { useEffect } from 'react';
import { showBidiControls } from './bidi';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'TARSy' : `${showBidiControls(title)} · TARSy`;
  }, [title]);
}
