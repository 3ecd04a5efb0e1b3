/** Sets the screen width that media queries see. */
import { vi } from 'vitest';

export function setScreenWidth(width: number): void {
  vi.stubGlobal('matchMedia', (media: string): MediaQueryList => {
    const minWidth = Number(/min-width:\s*([\d.]+)px/.exec(media)?.[1] ?? Infinity);
    return Object.assign(new EventTarget(), {
      media,
      matches: width >= minWidth,
      onchange: null,
      addListener: () => {},
      removeListener: () => {},
    });
  });
}
