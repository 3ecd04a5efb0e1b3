/**
 * A session of 5,000 steps: how long it takes to open, how smoothly its timeline and its trace scroll, and that a step at its
 * end is reached by its link.
 *
 * TARSY_LONG_SESSION  id of the session
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;
const id = e2e.setting('TARSY_LONG_SESSION');

const STEPS = 5000;
const OPEN_MS = 2000;
const MIN_FRAMES = 55;
const SCROLL_MS = 3000;

/** Scrolls at a constant speed for some time, and returns the frames per second. Runs in the page. */
async function scrollFor([selector, milliseconds]) {
  const element = selector ? document.querySelector(selector) : document.scrollingElement;
  const start = performance.now();
  let frames = 0;
  let now = start;
  while (now - start < milliseconds) {
    element.scrollTop = 1.5 * (now - start);
    now = await new Promise(requestAnimationFrame);
    frames += 1;
  }
  return Math.round((frames * 10_000) / (now - start)) / 10;
}

async function measureScroll(page, name, selector) {
  const value = await page.evaluate(scrollFor, [selector, SCROLL_MS]);
  e2e.measure(`scrolling the ${name}`, { value, unit: 'frames per second', atLeast: MIN_FRAMES });
  return `${value} frames per second`;
}

/** Opens a page in a new tab, as a link in a chat does, and measures until it shows this. */
async function measureOpening(page, { path, shows, name }) {
  // The files are in the cache, as they are on the second page of the day.
  await page.goto(`${e2e.url}${path}`, { timeout: RENDER_MS });
  await page.locator(shows).first().waitFor({ timeout: RENDER_MS });
  const started = Date.now();
  await page.goto(`${e2e.url}${path}`, { timeout: RENDER_MS });
  await page.locator(shows).first().waitFor({ timeout: RENDER_MS });
  const value = Date.now() - started;
  e2e.measure(`opening the ${name}`, { value, unit: 'ms', atMost: OPEN_MS });
  return `${value} ms`;
}

async function checkTimeline(page) {
  await e2e.step('the timeline of 5,000 steps opens', async () => {
    const path = `/sessions/${id}`;
    const time = await measureOpening(page, { path, shows: e2e.timelineItem, name: 'timeline' });
    const response = await fetch(`${e2e.url}/api/v1${path}/timeline`);
    const steps = (await response.json()).length;
    assert(steps >= STEPS, `the session has ${steps} steps`);
    return `${steps} steps in ${time}`;
  });
  await e2e.step('it renders what is near the window', async () => {
    const rendered = await page.locator(e2e.timelineItem).count();
    assert(rendered > 0 && rendered < STEPS / 10, `${rendered} steps are rendered`);
    return `${rendered} steps`;
  });
  await e2e.step('it scrolls', () => measureScroll(page, 'timeline', null));
  await e2e.step('a link leads to its last call', async () => {
    await page.goto('about:blank');
    await page.goto(`${e2e.url}/sessions/${id}#call-${STEPS / 2}`, { timeout: RENDER_MS });
    await page.waitForFunction(
      (anchor) => document.activeElement?.id === anchor,
      `call-${STEPS / 2}`,
    );
  });
}

async function checkTrace(page) {
  await e2e.step('the trace of 5,000 calls opens', () =>
    measureOpening(page, {
      path: `/sessions/${id}/trace`,
      shows: byTestId('trace-row'),
      name: 'trace',
    }),
  );
  await e2e.step('it scrolls', () => measureScroll(page, 'trace', null));
  await e2e.step('its waterfall opens', () =>
    measureOpening(page, {
      path: `/sessions/${id}/trace?view=waterfall`,
      shows: byTestId('waterfall'),
      name: 'waterfall',
    }),
  );
  await e2e.step('the waterfall scrolls', () =>
    measureScroll(page, 'waterfall', byTestId('waterfall')),
  );
}

await e2e.run('long', async (page) => {
  assert(id, 'TARSY_LONG_SESSION names no session');
  await checkTimeline(page);
  await checkTrace(page);
});
