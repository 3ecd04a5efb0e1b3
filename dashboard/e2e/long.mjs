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
/** So often each is measured. */
const OPENINGS = 5;
const SCROLLS = 5;

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

/** The best of a few runs: other processes of a busy machine take frames, and give none. */
async function measureScroll(page, name, selector) {
  let value = 0;
  for (let runs = 0; runs < e2e.samples(SCROLLS) && value < MIN_FRAMES; runs += 1) {
    value = Math.max(value, await page.evaluate(scrollFor, [selector, SCROLL_MS]));
  }
  const unit = 'frames per second';
  e2e.measure(`scrolling the ${name}`, { value, unit, atLeast: MIN_FRAMES });
  return `${value} ${unit}`;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * Opens a page some times in a new tab, as a link in a chat does, and measures until it shows all of these. The first time does
 * not count: its files are not in the cache.
 */
async function measureOpening(page, { path, shows, name, afterwards }) {
  const times = [];
  for (let opened = 0; opened <= e2e.samples(OPENINGS); opened += 1) {
    await page.goto('about:blank');
    const started = Date.now();
    await page.goto(`${e2e.url}${path}`, { timeout: RENDER_MS });
    for (const each of shows) await page.locator(each).first().waitFor({ timeout: RENDER_MS });
    times.push(Date.now() - started);
    await afterwards?.();
  }
  const value = median(times.slice(1));
  e2e.measure(`opening the ${name}`, { value, unit: 'ms', atMost: OPEN_MS });
  return `${value} ms, the median of ${times.slice(1).join(', ')}`;
}

/** What is shown can be scrolled, and the rest arrives below it. */
async function checkAllSteps(page) {
  const scrolled = await page.evaluate(() => {
    document.scrollingElement.scrollTop = 400;
    return document.scrollingElement.scrollTop;
  });
  assert.equal(scrolled, 400);
  const count = page.locator(byTestId('step-count')).filter({ hasText: 'steps' });
  await count.filter({ hasNotText: 'Reading' }).waitFor({ timeout: RENDER_MS });
  const steps = Number((await count.innerText()).replaceAll(/\D/g, ''));
  assert(steps >= STEPS, `${steps} steps are shown`);
}

async function checkTimeline(page) {
  await e2e.step('the timeline of 5,000 steps opens', async () => {
    const path = `/sessions/${id}`;
    return measureOpening(page, {
      path,
      shows: [byTestId('final-analysis'), byTestId('step-count'), e2e.timelineItem],
      name: 'timeline',
      afterwards: () => checkAllSteps(page),
    });
  });
  await e2e.step('it renders what is near the window', async () => {
    const rendered = await page.locator(e2e.timelineItem).count();
    assert(rendered > 0 && rendered < STEPS / 10, `${rendered} steps are rendered`);
    return `${rendered} steps`;
  });
  await e2e.step('it scrolls', () => measureScroll(page, 'timeline', null));
  await checkFilters(page);
  await e2e.step('a link leads to its last call', async () => {
    await page.goto('about:blank');
    await page.goto(`${e2e.url}/sessions/${id}#call-${STEPS / 2}`, { timeout: RENDER_MS });
    await page.waitForFunction(
      (anchor) => document.activeElement?.id === anchor,
      `call-${STEPS / 2}`,
    );
  });
}

/** What a filter or a search of the timeline says that it has found; it has one call and one response for each number. */
async function checkFilters(page) {
  const filter = page.locator(byTestId('timeline-filter'));
  const search = filter.getByRole('searchbox', { name: 'Search steps' });
  const found = async (pattern) => {
    const count = filter.getByRole('status').filter({ hasText: pattern });
    await count.waitFor();
    return count.innerText();
  };
  await e2e.step('the search covers numbers, arguments and results of calls', async () => {
    await search.fill(`call ${STEPS / 2}`);
    await found(/^1 of/);
    await search.fill('"what": "disk"');
    await found(/^2,501 of/);
    await search.fill('api_key=');
    const results = await found(/^2,501 of/);
    await search.fill('');
    return results;
  });
  await e2e.step(
    'the steps that the findings cite, and those that failed, are shown alone',
    async () => {
      const choose = (name) => filter.getByRole('button', { name, exact: true }).click();
      await choose('Cited');
      const cited = await found(/^1 of/);
      await choose('Errors');
      await page.locator(byTestId('timeline-no-match')).waitFor();
      await choose('All');
      await page.locator(e2e.timelineItem).nth(1).waitFor();
      return cited;
    },
  );
  await e2e.step('all steps are collapsed at once', async () => {
    const results = page.locator(byTestId('timeline')).getByText('Result', { exact: true });
    await results.first().waitFor();
    await filter.getByRole('button', { name: 'Collapse all' }).click();
    await results.first().waitFor({ state: 'detached' });
    await filter.getByRole('button', { name: 'Expand all' }).click();
    await results.first().waitFor();
  });
}

async function checkTrace(page) {
  await e2e.step('the trace of 5,000 calls opens', () =>
    measureOpening(page, {
      path: `/sessions/${id}/trace`,
      shows: [byTestId('trace-totals'), byTestId('trace-row')],
      name: 'trace',
    }),
  );
  await e2e.step('it scrolls', () => measureScroll(page, 'trace', null));
  await e2e.step('its waterfall opens', () =>
    measureOpening(page, {
      path: `/sessions/${id}/trace?view=waterfall`,
      shows: [byTestId('trace-totals'), byTestId('waterfall-row')],
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
