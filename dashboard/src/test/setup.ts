import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { reportSignedIn } from '../api/signIn';
import { server } from './server';

// Pages are loaded lazily, which takes longer than the default of one second on a busy machine.
configure({ asyncUtilTimeout: 60_000 });

class InertResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

globalThis.ResizeObserver = InertResizeObserver;
window.scrollTo = () => {};
// jsdom hides popovers and has no method that shows them.
HTMLElement.prototype.showPopover = function show(this: HTMLElement) {
  this.style.display = 'block';
};
Element.prototype.scrollIntoView = () => {};

// Testing Library says so when it is loaded, which is once for all files of a worker.
declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}

beforeAll(() => {
  globalThis.IS_REACT_ACT_ENVIRONMENT = true;
  server.listen({ onUnhandledRequest: 'error' });
});
afterEach(() => {
  cleanup();
  server.resetHandlers();
  reportSignedIn(null);
  localStorage.clear();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});
afterAll(async () => {
  // What a page loads lazily may come after the last test, whose environment must be there until then.
  await vi.dynamicImportSettled();
  server.close();
});
