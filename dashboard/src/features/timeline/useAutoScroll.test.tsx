import { act, renderHook } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useAutoScroll } from './useAutoScroll';

/** A page whose height and scroll position the test sets. */
const page = { height: 2000, y: 0, grown: () => {} };

function scrollTo(y: number): void {
  page.y = Math.max(0, Math.min(y, page.height - window.innerHeight));
}

/** Changes the page height; the browser clamps the scroll position. */
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
      constructor(callback: () => void) {
        page.grown = () => act(callback);
      }
      observe(): void {}
      disconnect(): void {}
    },
  );
});

describe('following the end of the page', () => {
  it('follows the end while the page grows', () => {
    const { result } = renderHook(() => useAutoScroll(true));
    resize(2600);
    page.grown();
    expect(atEnd()).toBe(true);
    expect(result.current.detached).toBe(false);
  });

  it('follows from the start on request', () => {
    scrollTo(0);
    renderHook(() => useAutoScroll(true, true));
    resize(2600);
    page.grown();
    expect(atEnd()).toBe(true);
  });

  it('continues when the page shrinks and grows again before the scroll event', () => {
    const { result } = renderHook(() => useAutoScroll(true));
    resize(1700);
    resize(2600);
    scrolled();
    page.grown();
    expect(atEnd()).toBe(true);
    expect(result.current.detached).toBe(false);
  });

  describe('with a container', () => {
    /** Page position of the end of the container; the rest of the page is below. */
    const container = { end: 1500 };
    const ref = { current: document.createElement('div') };

    beforeEach(() => {
      container.end = 1500;
      vi.spyOn(ref.current, 'getBoundingClientRect').mockImplementation(
        () => new DOMRect(0, -page.y, 100, container.end),
      );
      scrollTo(container.end - window.innerHeight);
    });

    it('keeps content below the container out of view', () => {
      const { result } = renderHook(() => useAutoScroll(true, false, ref));
      container.end = 2100;
      resize(2600);
      page.grown();
      expect(page.y + window.innerHeight).toBeGreaterThanOrEqual(2100);
      expect(page.y + window.innerHeight).toBeLessThan(2200);
      expect(result.current.detached).toBe(false);
    });

    it('does not scroll while the user is below the container', () => {
      vi.spyOn(performance, 'now').mockReturnValue(1000);
      const { result } = renderHook(() => useAutoScroll(true, false, ref));
      resize(4000);
      act(() => window.dispatchEvent(new WheelEvent('wheel', { deltaY: 900 })));
      scrollTo(1600);
      scrolled();
      expect(result.current.detached).toBe(true);
      container.end = 1590;
      page.grown();
      expect(page.y).toBe(1600);
      act(() => result.current.jumpToEnd());
      expect(page.y + window.innerHeight).toBeLessThan(1700);
      expect(result.current.detached).toBe(false);
    });
  });

  it('ends when the user scrolls up, until they jump to the end', () => {
    // Freezes the time since the last user input.
    vi.spyOn(performance, 'now').mockReturnValue(1000);
    const { result } = renderHook(() => useAutoScroll(true));
    act(() => window.dispatchEvent(new WheelEvent('wheel', { deltaY: -400 })));
    scrollTo(300);
    scrolled();
    resize(2600);
    page.grown();
    expect(page.y).toBe(300);
    expect(result.current.detached).toBe(true);
    act(() => result.current.jumpToEnd());
    expect(atEnd()).toBe(true);
  });
});
