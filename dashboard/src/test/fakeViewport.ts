/** Replaces IntersectionObserver: an element is near the viewport only after `scrollNear`. */
import { act } from '@testing-library/react';
import { vi } from 'vitest';

export class FakeViewport {
  readonly #callbacks = new Map<Element, (entries: readonly object[]) => void>();

  /** Must be called before the page is rendered. */
  static install(): FakeViewport {
    const viewport = new FakeViewport();
    const callbacks = viewport.#callbacks;
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        readonly #callback: (entries: readonly object[]) => void;
        constructor(callback: (entries: readonly object[]) => void) {
          this.#callback = callback;
        }
        observe(element: Element): void {
          callbacks.set(element, this.#callback);
        }
        unobserve(element: Element): void {
          callbacks.delete(element);
        }
        disconnect(): void {
          callbacks.clear();
        }
      },
    );
    return viewport;
  }

  scrollNear(element: Element): void {
    act(() => this.#callbacks.get(element)?.([{ target: element, isIntersecting: true }]));
  }
}
