import { useEffect } from 'react';
import { showBidiControls } from '../text/bidi';

let page = '';
let waiting = 0;

function write(): void {
  const count = waiting > 0 ? `(${waiting}) ` : '';
  document.title = `${count}${page === '' ? 'TARSy' : `${page} · TARSy`}`;
}

export function useTitle(title: string): void {
  useEffect(() => {
    page = showBidiControls(title);
    write();
  }, [title]);
}

/** Puts the number of calls that wait for approval before the title of every page. */
export function useWaitingInTitle(count: number): void {
  useEffect(() => {
    waiting = count;
    write();
  }, [count]);
}
