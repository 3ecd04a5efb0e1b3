/**
 * Every page at 1,400 and 390 pixels and zoomed to 200 %, each in light and dark: accessibility, layout shift, number of
 * requests, nothing beside the window.
 *
 * TARSY_WINDOWS   names of windows, by commas (default: all)
 * TARSY_SESSIONS  two completed sessions, by a comma (default: submits two alerts)
 * TARSY_ACTED     a session with changes, dependencies, a skill and an action (default: none is opened)
 */
import assert from 'node:assert/strict';
import { pagesOf, twoSessions } from './everyPage.mjs';
import { assertFitsWindow, loadingRequests, MAX_REQUESTS } from './fitting.mjs';
import * as e2e from './harness.mjs';

const { RENDER_MS, byTestId } = e2e;

/** Of the list, in a window of 1,400 by 900 pixels. */
const MIN_ROWS = 12;
const MAX_ROW_HEIGHT = 56;

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

/** How many rows of the list a screen has above its notices, by the first one's place, and how high the highest is. Runs in the page. */
function rowsOfScreen(selector) {
  const rows = [...document.querySelectorAll(selector)].map((row) => row.getBoundingClientRect());
  const notices = document.querySelector('aside[aria-label="Notices"]');
  const [{ top, height }] = rows;
  return {
    rows: Math.floor((window.innerHeight - (notices?.offsetHeight ?? 0) - top) / height),
    highest: Math.max(...rows.map((row) => row.height)),
  };
}

/** The list is dense, and uses the width of a large screen. */
async function checkList(page) {
  const { rows, highest } = await page.evaluate(rowsOfScreen, e2e.byTestId('session-row'));
  e2e.measure('rows on the first screen', { value: rows, unit: 'rows', atLeast: MIN_ROWS });
  assert(rows >= MIN_ROWS, `${rows} rows on the first screen`);
  assert(highest <= MAX_ROW_HEIGHT, `a row is ${highest} pixels high`);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 1920, height: 1080 });
  const table = await page.getByRole('region', { name: 'Session history' }).boundingBox();
  assert(table.width > 1700, `the list is ${table.width} of 1,920 pixels wide`);
  await e2e.screenshot(page, 'page-sessions-1920.png');
  await page.setViewportSize(size);
  return `${rows} rows`;
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

/** Opens what is folded at first, until it shows what it has. */
async function unfold(page, folded) {
  if (folded === undefined) return;
  await page.getByRole('button', { name: folded.button }).click();
  await page.locator(folded.shows).waitFor({ timeout: RENDER_MS });
}

async function checkPage({ page, requests }, each, name) {
  // What the last page still asks for ends with it.
  await page.goto('about:blank');
  requests.clear();
  await page.goto(`${e2e.url}${each.path}`, { timeout: RENDER_MS });
  await page.locator(each.shows).first().waitFor({ timeout: RENDER_MS });
  for (const one of each.also ?? [])
    await page.locator(one).first().waitFor({ timeout: RENDER_MS });
  await page.waitForLoadState('networkidle');
  const still = await e2e.assertStill(page);
  const sent = loadingRequests(requests);
  await unfold(page, each.unfolds);
  await e2e.screenshot(page, `page-${each.name}-${name}.png`);
  const accessible = await e2e.assertAccessible(page, impacts);
  assert(
    sent.length <= (each.atMost ?? MAX_REQUESTS),
    `${sent.length} requests: ${sent.join(' ')}`,
  );
  await assertFitsWindow(page);
  const list = each.name === 'sessions' && name === 'wide' ? `, ${await checkList(page)}` : '';
  const dark = await checkDark(page, `page-${each.name}-${name}-dark.png`);
  return `${accessible}, dark ${dark}, ${sent.length} requests, ${still}${list}`;
}

/** The same page in the dark: what changes are its colors, and nothing moves. */
async function checkDark(page, image) {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-scheme="dark"]').waitFor({ timeout: RENDER_MS });
  await e2e.screenshot(page, image);
  const accessible = await e2e.assertAccessible(page, impacts, e2e.rulesOfColors);
  await assertFitsWindow(page, 'the dark page');
  await page.emulateMedia({ colorScheme: 'light' });
  return accessible;
}

/** The session of `TARSY_ACTED`, with all that a page of it has beside those of others. */
function pagesOfActed() {
  const acted = e2e.setting('TARSY_ACTED');
  if (acted === undefined) return [];
  const also = [
    byTestId('dependencies'),
    byTestId('change'),
    `${byTestId('timeline')} >> text=load_skill`,
  ];
  return [
    {
      name: 'session-acted',
      path: `/sessions/${acted}`,
      shows: byTestId('action-outcome'),
      also,
      unfolds: { button: 'Picture', shows: 'role=region[name="Picture of the dependencies"]' },
      // What an agent changed is a chunk that no other session loads.
      atMost: MAX_REQUESTS + 1,
    },
  ];
}

/** The pages of all sessions; beside a session with changes the overview has these, too. */
function pages(id, other) {
  const acted = pagesOfActed();
  const also = acted.length > 0 ? [byTestId('overview-changes')] : [];
  const all = pagesOf(id, other).map((each) =>
    each.name === 'overview' ? { ...each, also } : each,
  );
  return [...all, ...acted];
}

/** All pages in one window: a page that is opened anew would compile the dashboard once more. */
async function checkWindow(browser, { name, ...options }, [id, other]) {
  const visit = await openWindow(browser, options);
  await e2e.sideBySide(1, pages(id, other), (each) =>
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
