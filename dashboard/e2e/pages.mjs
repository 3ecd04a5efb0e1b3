/**
 * Every page, in light and dark, at 1,400 and 390 pixels and zoomed to 200 %: accessibility, layout shift, number of
 * requests, nothing beside the window. Then texts that reorder what is beside them, times, an error, the keyboard alone, and the
 * loss of the network.
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;

const MAX_REQUESTS = 15;
/** What begins later, when no part of the page waits for it. */
const background = /\/health$|\/assets\/Notices-/;

/** All that axe-core knows. */
const impacts = ['minor', 'moderate', 'serious', 'critical'];

const phone = e2e.appearances.find(({ name }) => name === 'phone');

/** A zoom of 200 % halves the window in CSS pixels. */
const windows = [
  ...e2e.appearances,
  {
    name: 'zoom',
    viewport: { width: 700, height: 450 },
    deviceScaleFactor: 2,
    colorScheme: 'light',
  },
];

/** A page waits until its requests are over; meanwhile others compute. */
const WINDOWS_AT_ONCE = 3;

/** The pages, with what each shows once it is loaded. */
const pagesOf = (id, other) => [
  { name: 'sessions', path: '/', shows: byTestId('session-row') },
  { name: 'search', path: '/search?q=disk', shows: byTestId('search-hit') },
  {
    name: 'overview',
    path: '/overview',
    shows: `${byTestId('outcome-chart')} svg .MuiBarChart-element:not([height="0"])`,
  },
  { name: 'submit', path: '/submit', shows: byTestId('alert-data-input') },
  { name: 'session', path: `/sessions/${id}`, shows: byTestId('session-details') },
  { name: 'trace', path: `/sessions/${id}/trace`, shows: byTestId('trace-row') },
  {
    name: 'waterfall',
    path: `/sessions/${id}/trace?view=waterfall`,
    shows: byTestId('waterfall'),
  },
  { name: 'report', path: `/sessions/${id}/report`, shows: 'main h2' },
  {
    name: 'compare',
    path: `/compare?first=${id}&second=${other}`,
    shows: byTestId('compared-calls'),
  },
  { name: 'received-alerts', path: '/received-alerts', shows: byTestId('received-alerts') },
  { name: 'system', path: '/system', shows: byTestId('service') },
  { name: 'tokens', path: '/tokens', shows: byTestId('create-token') },
  { name: 'audit-log', path: '/audit-log', shows: byTestId('audit-entry') },
  { name: 'not-found', path: '/no-such-page', shows: 'h1' },
];

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
  return `${accessible}, ${sent.length} requests, ${still}`;
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

const REORDERS = '\u202E';

/** Fields whose texts are those of senders, models, tools and people. */
const foreign = new Set(
  [
    'title severity service namespace cluster labels alert_type alert_data author content error_message message',
    'executive_summary final_analysis cause category object since because what why next_steps actual_cause',
    'agent_name stage_name tool_name server_name model_name tool server description arguments text tool_result path',
  ].flatMap((names) => names.split(' ')),
);

/** What operators configure, and what TARSy says of itself. */
const own = /\/me$|\/example-alerts|\/alert-types|\/system\/(?:services|state|info)/;

/** The same answer, with a character in each of these texts that reorders what follows it. */
function reordering(value, key, named) {
  if (Array.isArray(value)) return value.map((each) => reordering(each, key, named));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([name, part]) => [name, reordering(part, name, named)]));
  }
  const text = typeof value === 'string' && (foreign.has(key) || (named && key === 'name'));
  return text ? `${value.slice(0, 2)}${REORDERS}${value.slice(2)}` : value;
}

/** What shows such a character, in its text or in its name. Runs in the page. */
function reordered(sign) {
  const elements = [document.documentElement, ...document.querySelectorAll('body *')];
  const found = elements.flatMap((element) => {
    const texts = [...element.childNodes].flatMap((node) =>
      node.nodeType === 3 ? [node.data] : [],
    );
    const names = ['aria-label', 'title'].map((name) => element.getAttribute(name) ?? '');
    return [...texts, ...names].filter((text) => text.includes(sign));
  });
  return [document.title, ...found].filter((text) => text.includes(sign));
}

/** No page lets a text of somebody else reorder what is beside it. */
async function checkDirections(page, [id, other]) {
  await page.route('**/api/v1/**', async (route) => {
    const response = await route.fetch();
    const isJson = response.headers()['content-type']?.includes('json') ?? false;
    if (!isJson || own.test(route.request().url())) return route.fulfill({ response });
    // Names of tools; services and providers are our own.
    const named = /\/mcp-servers|\/trace/.test(route.request().url());
    return route.fulfill({ response, json: reordering(await response.json(), 'text', named) });
  });
  const check = (each) =>
    e2e.step(`${each.name} shows what reorders text`, async () => {
      await page.goto(`${e2e.url}${each.path}`, { timeout: RENDER_MS });
      await page.locator(each.shows).first().waitFor({ timeout: RENDER_MS });
      const folded = page.locator('main button[aria-expanded="false"]:not([aria-haspopup])');
      for (const button of await folded.all())
        await button.click({ timeout: 2000 }).catch(() => {});
      await page.waitForLoadState('networkidle');
      const found = await page.evaluate(reordered, REORDERS);
      assert(found.length === 0, found.slice(0, 5).join(' | '));
    });
  await e2e.sideBySide(1, pagesOf(id, other), check);
  await page.unrouteAll({ behavior: 'wait' });
}

/** The text of the link or button that has the focus. */
const focused = (page) =>
  page.evaluate(() => {
    const { activeElement } = document;
    return activeElement?.matches('a, button') ? activeElement.textContent : '';
  });

/** Presses Tab until an element with this text has the focus. */
async function tabTo(page, text) {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await focused(page)).includes(text)) return;
  }
  throw new Error(`Tab does not reach ${text}`);
}

async function checkKeyboard(page, title) {
  await e2e.step('a session is opened with the keyboard alone', async () => {
    await page.goto(`${e2e.url}/system`, { timeout: RENDER_MS });
    await page.locator(byTestId('service')).first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.locator(byTestId('session-row')).first().waitFor();
    await tabTo(page, title);
    const outline = await page.evaluate(() => {
      const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement);
      return outlineStyle !== 'none' || boxShadow !== 'none';
    });
    assert(outline, 'the focus is not visible');
    await page.keyboard.press('Enter');
    await page.locator(byTestId('session-details')).waitFor();
  });
  await e2e.step('steps of the timeline are visited with j and k', async () => {
    await page.keyboard.press('t');
    await page.keyboard.press('j');
    const first = await page.evaluate(() => document.activeElement?.id);
    await page.keyboard.press('j');
    const second = await page.evaluate(() => document.activeElement?.id);
    assert(first !== second && first.startsWith('step-'), `${first}, ${second}`);
  });
  await e2e.step('the command palette leads to the received alerts', async () => {
    await page.keyboard.press('Control+k');
    await page.locator(byTestId('command-palette')).waitFor();
    await e2e.assertAccessible(page);
    await page.keyboard.type('received');
    await page.keyboard.press('Enter');
    await page.locator(byTestId('received-alerts')).waitFor();
  });
  await e2e.step('the help sheet lists the keys and is accessible', async () => {
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await e2e.screenshotView(page, 'page-help.png');
    await e2e.assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
}

async function checkTimes(page, id) {
  await e2e.step('times are those of the browser, or UTC', async () => {
    const options = { timezoneId: 'America/New_York', locale: 'en-US' };
    const context = await page.context().browser().newContext(options);
    const visit = await context.newPage();
    await visit.goto(`${e2e.url}/sessions/${id}`, { timeout: RENDER_MS });
    const details = visit.locator(byTestId('session-details'));
    await details.filter({ hasText: /E[SD]T/ }).waitFor({ timeout: RENDER_MS });
    const local = await details.innerText();
    await visit.getByRole('group', { name: 'Time zone' }).getByText('UTC').click();
    await details.filter({ hasText: 'UTC' }).waitFor();
    assert.notEqual(await details.innerText(), local);
    await visit.reload();
    await details.filter({ hasText: 'UTC' }).waitFor({ timeout: RENDER_MS });
    await context.close();
  });
  await e2e.step('a phone has the times in the list, which go on', async () => {
    const context = await page.context().browser().newContext({ viewport: phone.viewport });
    const visit = await context.newPage();
    await visit.clock.install();
    await visit.goto(e2e.url, { timeout: RENDER_MS });
    const row = visit.locator(byTestId('session-row')).first();
    const time = row
      .getByText(/ ago|just now/)
      .filter({ visible: true })
      .first();
    const before = await time.innerText({ timeout: RENDER_MS });
    await visit.clock.fastForward('02:00:00');
    await row.getByText(/^2 h/).filter({ visible: true }).first().waitFor();
    await context.close();
    return `${before}, then 2 hours`;
  });
}

/** A page that is opened begins at its top; going back leads to where the last one was. */
async function checkHistory(page, id) {
  await e2e.step('going back leads to where the page was scrolled to', async () => {
    const context = await page.context().browser().newContext({ viewport: phone.viewport });
    const visit = await context.newPage();
    await visit.goto(`${e2e.url}/sessions/${id}`, { timeout: RENDER_MS });
    await visit.locator(byTestId('session-details')).waitFor({ timeout: RENDER_MS });
    const scrolled = (at) => visit.waitForFunction((y) => Math.abs(window.scrollY - y) < 50, at);
    await visit.evaluate(() => window.scrollTo(0, 700));
    await scrolled(700);
    // A click would scroll to the link.
    await visit.locator(byTestId('trace-link')).dispatchEvent('click');
    await visit.locator(byTestId('trace-row')).first().waitFor({ timeout: RENDER_MS });
    await scrolled(0);
    await visit.goBack();
    await visit.locator(byTestId('session-details')).waitFor({ timeout: RENDER_MS });
    await scrolled(700);
    await context.close();
  });
}

/** A failed request says under which ID the logs have its cause. */
async function checkErrors(page) {
  await e2e.step('an error shows its trace ID', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const problem = { title: 'Internal error', detail: 'It failed.', trace_id: trace };
    const contentType = 'application/problem+json';
    await page.route('**/api/v1/sessions?*', (route) =>
      route.fulfill({ status: 500, contentType, body: JSON.stringify(problem) }),
    );
    await page.goto(e2e.url, { timeout: RENDER_MS });
    await page.locator(byTestId('trace-id')).filter({ hasText: trace }).waitFor();
    await e2e.assertAccessible(page);
    await e2e.screenshot(page, 'page-error.png');
    await page.unroute('**/api/v1/sessions?*');
  });
}

async function checkOffline(page) {
  await e2e.step('the loss of the network is shown, and its end without a click', async () => {
    const banner = page.locator(byTestId('disconnected-banner'));
    const started = Date.now();
    await page.context().setOffline(true);
    await banner.waitFor({ timeout: RENDER_MS });
    const shown = Date.now() - started;
    await e2e.assertAccessible(page);
    await page.context().setOffline(false);
    await banner.waitFor({ state: 'detached', timeout: RENDER_MS });
    e2e.measure('showing the loss of the network', { value: shown, unit: 'ms', atMost: 2000 });
    return `shown after ${shown} ms, gone after ${Date.now() - started - shown} ms`;
  });
}

await e2e.run('pages', async (page) => {
  const title = `Disk of db-${Date.now()} is full`;
  await e2e.completeSession(page, e2e.alertType, 'The first of two alerts');
  const first = e2e.sessionIdOf(page);
  await e2e.completeSession(page, e2e.alertType, title);
  const ids = [e2e.sessionIdOf(page), first];
  await checkPages(page, ids);
  await checkDirections(page, ids);
  await checkTimes(page, first);
  await checkHistory(page, first);
  await checkErrors(page);
  await checkKeyboard(page, title);
  await checkOffline(page);
});
