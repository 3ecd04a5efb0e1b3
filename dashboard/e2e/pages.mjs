/**
 * Every page at 1,400 and 390 pixels and zoomed to 200 %, each in light and dark: accessibility, layout shift, number of
 * requests, nothing beside the window.
 *
 * TARSY_WINDOWS   names of windows, by commas (default: all)
 * TARSY_SESSIONS  two completed sessions, by a comma (default: submits two alerts)
 */
import assert from 'node:assert/strict';
import { pagesOf, twoSessions } from './everyPage.mjs';
import * as e2e from './harness.mjs';

const { RENDER_MS } = e2e;

const MAX_REQUESTS = 15;
/** What begins later, when no part of the page waits for it. */
const background = /\/health$|\/api\/v1\/approvals$|\/assets\/Notices-/;

/** All that axe-core knows. */
const impacts = ['minor', 'moderate', 'serious', 'critical'];

/** A zoom of 200 % halves the window in CSS pixels. */
const allWindows = [
  ...e2e.appearances.filter(({ colorScheme }) => colorScheme === 'light'),
  {
    name: 'zoom',
    viewport: { width: 700, height: 450 },
    deviceScaleFactor: 2,
    colorScheme: 'light',
  },
];

const asked = e2e.setting('TARSY_WINDOWS')?.split(',') ?? allWindows.map(({ name }) => name);
const windows = asked.map((name) => {
  const found = allWindows.find((each) => each.name === name);
  assert(found, `TARSY_WINDOWS names ${name}`);
  return found;
});

/** A page waits until its requests are over; meanwhile others compute. */
const WINDOWS_AT_ONCE = 3;

/** What stands out of the window to the right. Runs in the page. */
function overflow() {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth - clientWidth;
}

/** A page of a window, with the requests of what it shows. */
async function openWindow(browser, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const requests = new Set();
  page.on('request', (request) => requests.add(request.url()));
  await page.addInitScript(e2e.recordShifts);
  return { page, requests };
}

async function checkPage({ page, requests }, each, name) {
  // What the last page still asks for ends with it.
  await page.goto('about:blank');
  requests.clear();
  await page.goto(`${e2e.url}${each.path}`, { timeout: RENDER_MS });
  await page.locator(each.shows).first().waitFor({ timeout: RENDER_MS });
  await page.waitForLoadState('networkidle');
  const still = await e2e.assertStill(page);
  const sent = [...requests].filter((request) => !background.test(request));
  await e2e.screenshot(page, `page-${each.name}-${name}.png`);
  const accessible = await e2e.assertAccessible(page, impacts);
  const beside = await page.evaluate(overflow);
  assert(sent.length <= MAX_REQUESTS, `${sent.length} requests: ${sent.join(' ')}`);
  assert(beside <= 0, `the page is ${beside} pixels wider than the window`);
  const dark = await checkDark(page, `page-${each.name}-${name}-dark.png`);
  return `${accessible}, dark ${dark}, ${sent.length} requests, ${still}`;
}

/** The same page in the dark: what changes are its colors, and nothing moves. */
async function checkDark(page, image) {
  const before = await page.evaluate(overflow);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-scheme="dark"]').waitFor({ timeout: RENDER_MS });
  await e2e.screenshot(page, image);
  const accessible = await e2e.assertAccessible(page, impacts, e2e.rulesOfColors);
  assert.equal(await page.evaluate(overflow), before, 'the dark page has another width');
  await page.emulateMedia({ colorScheme: 'light' });
  return accessible;
}

/** All pages in one window: a page that is opened anew would compile the dashboard once more. */
async function checkWindow(browser, { name, ...options }, [id, other]) {
  const visit = await openWindow(browser, options);
  await e2e.sideBySide(1, pagesOf(id, other), (each) =>
    e2e.step(`${each.name}, ${name}`, () => checkPage(visit, each, name)),
  );
  await visit.page.context().close();
}

const checkPages = (page, ids) =>
  e2e.sideBySide(WINDOWS_AT_ONCE, windows, (each) =>
    checkWindow(page.context().browser(), each, ids),
  );

await e2e.run('pages', async (page) => {
  await checkPages(page, await twoSessions(page, 'The second of two alerts'));
});
