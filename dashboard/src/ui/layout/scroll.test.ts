import { afterEach, expect, it, vi } from 'vitest';
import { focusInView } from './scroll';

/** Calls the observers of the page's size. */
let resize: () => void = () => {};

class PlayedResizeObserver {
  constructor(notify: () => void) {
    resize = notify;
  }
  observe() {}
  disconnect() {
    resize = () => {};
  }
}

afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

function section(): HTMLElement {
  vi.stubGlobal('ResizeObserver', PlayedResizeObserver);
  const element = document.createElement('section');
  element.scrollIntoView = vi.fn<() => void>();
  document.body.append(element);
  return element;
}

it('what takes no focus yet gets it once the page has changed', () => {
  const element = section();
  focusInView(element);
  expect(element).not.toHaveFocus();
  element.tabIndex = -1;
  resize();
  expect(element).toHaveFocus();
  expect(element.scrollIntoView).toHaveBeenCalledTimes(2);
});

it('a reader who acts keeps the focus where they put it', () => {
  const element = section();
  element.tabIndex = -1;
  const field = document.createElement('input');
  document.body.append(field);
  focusInView(element);
  expect(element).toHaveFocus();
  window.dispatchEvent(new KeyboardEvent('keydown'));
  field.focus();
  resize();
  expect(field).toHaveFocus();
});
