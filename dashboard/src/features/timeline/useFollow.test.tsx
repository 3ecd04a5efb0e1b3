import { act, renderHook } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useFollow } from './useFollow';

/** A page whose height and place the test decides. */
const page = { height: 2000, y: 0, grown: () => {} };

function scrollTo(y: number): void {
  page.y = Math.max(0, Math.min(y, page.height - window.innerHeight));
}

/** The page has another height now; the browser keeps the place within it. */
function resize(height: number): void {
  page.height = height;
  scrollTo(page.y);
}

const scrolled = () => act(() => window.dispatchEvent(new Event('scroll')));
const atEnd = () => page.y === page.height - window.innerHeight;

beforeEach(() => {
  page.height = 2000;
  scrollTo(2000);
  vi.spyOn(document.documentElement, 'scrollHeight', 'get').mockImplementation(() => page.height);
  vi.spyOn(window, 'scrollY', 'get').mockImplementation(() => page.y);
  vi.spyOn(window, 'scrollTo').mockImplementation((options?: ScrollToOptions | number) => {
    if (typeof options === 'object') scrollTo(options.top ?? 0);
  });
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(told: () => void) {
        page.grown = () => act(told);
      }
      observe(): void {}
      disconnect(): void {}
    },
  );
});

describe('following the end of the page', () => {
  it('goes on while it grows', () => {
    const { result } = renderHook(() => useFollow(true));
    resize(2600);
    page.grown();
    expect(atEnd()).toBe(true);
    expect(result.current.away).toBe(false);
  });

  it('begins at once for those who came to watch', () => {
    scrollTo(0);
    renderHook(() => useFollow(true, true));
    resize(2600);
    page.grown();
    expect(atEnd()).toBe(true);
  });

  it('goes on when the page shrinks and has grown again before anybody hears of it', () => {
    const { result } = renderHook(() => useFollow(true));
    resize(1700);
    resize(2600);
    scrolled();
    page.grown();
    expect(atEnd()).toBe(true);
    expect(result.current.away).toBe(false);
  });

  describe('of a part of it', () => {
    /** What grows ends here; the rest of the page stands below. */
    const part = { end: 1500 };
    const place = { current: document.createElement('div') };

    beforeEach(() => {
      part.end = 1500;
      vi.spyOn(place.current, 'getBoundingClientRect').mockImplementation(
        () => new DOMRect(0, -page.y, 100, part.end),
      );
      scrollTo(part.end - window.innerHeight);
    });

    it('leaves what stands below it out of sight', () => {
      const { result } = renderHook(() => useFollow(true, false, place));
      part.end = 2100;
      resize(2600);
      page.grown();
      expect(page.y + window.innerHeight).toBeGreaterThanOrEqual(2100);
      expect(page.y + window.innerHeight).toBeLessThan(2200);
      expect(result.current.away).toBe(false);
    });

    it('does not disturb the reader of what stands below', () => {
      vi.spyOn(performance, 'now').mockReturnValue(1000);
      const { result } = renderHook(() => useFollow(true, false, place));
      resize(4000);
      act(() => window.dispatchEvent(new WheelEvent('wheel', { deltaY: 900 })));
      scrollTo(1600);
      scrolled();
      expect(result.current.away).toBe(true);
      part.end = 1590;
      page.grown();
      expect(page.y).toBe(1600);
      act(() => result.current.jump());
      expect(page.y + window.innerHeight).toBeLessThan(1700);
      expect(result.current.away).toBe(false);
    });
  });

  it('ends when the reader goes up, until the end is asked for', () => {
    // The hand's touch counts for a moment; here time stands still.
    vi.spyOn(performance, 'now').mockReturnValue(1000);
    const { result } = renderHook(() => useFollow(true));
    act(() => window.dispatchEvent(new WheelEvent('wheel', { deltaY: -400 })));
    scrollTo(300);
    scrolled();
    resize(2600);
    page.grown();
    expect(page.y).toBe(300);
    expect(result.current.away).toBe(true);
    act(() => result.current.jump());
    expect(atEnd()).toBe(true);
  });
});
