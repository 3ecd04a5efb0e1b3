import { useEffect } from 'react';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'TARSy' : `${title} · TARSy`;
  }, [title]);
}
