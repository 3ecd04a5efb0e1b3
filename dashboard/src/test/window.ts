/** A window in the test's hand: nothing is near it until the test says so. */
import { act } from '@testing-library/react';
import { vi } from 'vitest';

export class FakeWindow {
  readonly #places = new Map<Element, (entries: readonly object[]) => void>();

  constructor() {
    const places = this.#places;
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        readonly #told: (entries: readonly object[]) => void;
        constructor(told: (entries: readonly object[]) => void) {
          this.#told = told;
        }
        observe(place: Element): void {
          places.set(place, this.#told);
        }
        unobserve(place: Element): void {
          places.delete(place);
        }
      },
    );
  }

  /** The reader comes to a place. */
  near(place: Element): void {
    act(() => this.#places.get(place)?.([{ target: place, isIntersecting: true }]));
  }
}
