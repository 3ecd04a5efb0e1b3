/** A window of some width, as media queries see it. */
import { vi } from 'vitest';

export function showAt(width: number): void {
  vi.stubGlobal('matchMedia', (media: string): MediaQueryList => {
    const least = Number(/min-width:\s*([\d.]+)px/.exec(media)?.[1] ?? Infinity);
    return Object.assign(new EventTarget(), {
      media,
      matches: width >= least,
      onchange: null,
      addListener: () => {},
      removeListener: () => {},
    });
  });
}
