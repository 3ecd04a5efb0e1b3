/** What each page holds: it fits its window, and is loaded with few requests. */
import assert from 'node:assert/strict';
import { RENDER_MS } from './harness.mjs';

/** How many requests a page sends before it is shown whole, at most. */
export const MAX_REQUESTS = 15;

/** What begins later, when no part of the page waits for it. */
const background = /\/health$|\/api\/v1\/approvals$|\/assets\/Notices-/;

/** The requests of these that a page waits for. */
export function loadingRequests(urls) {
  return [...urls].filter((url) => !background.test(url));
}

/** How many pixels the page is wider than the window, and the elements that are and that no other clips. Runs in the page. */
function overflow() {
  const { scrollWidth, clientWidth } = document.documentElement;
  const isClipped = (element) => {
    const above = element.parentElement;
    if (!above || above === document.body) return false;
    return getComputedStyle(above).overflowX !== 'visible' || isClipped(above);
  };
  const beside = [...document.body.querySelectorAll('*')]
    .map((element) => ({ element, end: element.getBoundingClientRect().right }))
    .filter(({ element, end }) => end > clientWidth + 0.5 && !isClipped(element))
    .map(({ element, end }) => {
      const name = element.dataset.testid ?? element.getAttribute('class') ?? '';
      return `${element.localName} ${name} ends at ${end.toFixed(1)}`;
    });
  return { pixels: scrollWidth - clientWidth, beside };
}

/** Waits until the page fits its window: after a change of size it measures itself again. */
export async function assertFitsWindow(page, what = 'the page') {
  const fits = () => document.documentElement.scrollWidth <= document.documentElement.clientWidth;
  await page.waitForFunction(fits, undefined, { timeout: RENDER_MS }).catch(async () => {
    const { pixels, beside } = await page.evaluate(overflow);
    const list = beside.slice(0, 20).join('\n');
    assert.fail(`${what} is ${pixels} pixels wider than the window:\n${list}`);
  });
}
