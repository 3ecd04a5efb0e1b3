/**
 * Times, scrolling back, an error, the keyboard alone, and the loss of the network.
 *
 * TARSY_ALERT_TYPE needs a chain with chat.
 * TARSY_WAITING_TYPE  alert type whose agent makes a call that waits for approval (default writing)
 */
import assert from 'node:assert/strict';
import { twoSessions } from './everyPage.mjs';
import { assertFitsWindow } from './fitting.mjs';
import * as e2e from './harness.mjs';
import { follow, hasFocus, tabTo } from './keys.mjs';

const { byTestId, INVESTIGATION_MS, RENDER_MS } = e2e;
/** Keys from the beginning of a page to where a person works. */
const MAX_KEYS = 15;
const waitingType = e2e.setting('TARSY_WAITING_TYPE', 'writing');
const phone = e2e.appearances.find(({ name }) => name === 'phone');

function assertFew(keys, what) {
  e2e.measure(`keys to ${what}`, { value: keys, unit: 'keys', atMost: MAX_KEYS });
  assert(keys <= MAX_KEYS, `${keys} keys to ${what}, more than ${MAX_KEYS}`);
  return `${keys} keys`;
}

/** Each begins with the page as it opens: what is counted is the way to the field or button, not what is typed there. */
async function checkWays(page, id, title) {
  await e2e.step('a question is asked', async () => {
    await page.goto(`${e2e.url}/sessions/${id}`, { timeout: RENDER_MS });
    await page.locator(byTestId('chat-question')).waitFor({ timeout: RENDER_MS });
    const button = assertFew(await tabTo(page, 'Ask a question'), 'the button that asks');
    await page.reload({ timeout: RENDER_MS });
    await page.locator(byTestId('chat-question')).waitFor({ timeout: RENDER_MS });
    const keys = await follow(page, 'Skip to question');
    await hasFocus(page, '#question');
    await page.keyboard.type('Since when?');
    await page.keyboard.press('Control+Enter');
    const transcript = page.locator(byTestId('chat-transcript'));
    await transcript.getByRole('group', { name: 'Question' }).getByText('Since when?').waitFor();
    return `${assertFew(keys, 'the question')}, ${button} to the button`;
  });
  await e2e.step('a call that waits is at hand in every window', async () => {
    await e2e.openAlert(page, { alert_type: waitingType, data: 'The ledger lacks a line' });
    await page.locator(byTestId('approve-call')).waitFor({ timeout: INVESTIGATION_MS });
    await checkWaiting(page);
  });
  await e2e.step('a call is approved, and the focus stays there', async () => {
    const keys = await follow(page, 'Skip to approval');
    await hasFocus(page, '#approval');
    const more = await tabTo(page, 'Approve');
    await page.keyboard.press('Enter');
    await page.locator(byTestId('decided')).filter({ hasText: 'Approved' }).waitFor();
    await hasFocus(page, '#approval');
    return assertFew(keys + more + 1, 'approve');
  });
  await e2e.step('a session is found', async () => {
    await page.goto(e2e.url, { timeout: RENDER_MS });
    const search = page.getByRole('searchbox', { name: 'Search history' });
    await search.waitFor({ timeout: RENDER_MS });
    let keys = await follow(page, 'Skip to main content');
    const isThere = () => search.evaluate((each) => each === document.activeElement);
    for (; keys <= MAX_KEYS && !(await isThere()); keys += 1) await page.keyboard.press('Tab');
    await page.keyboard.type(title);
    await page.locator(byTestId('session-row')).filter({ hasText: title }).waitFor();
    return assertFew(keys, 'the search');
  });
}

/** Where people decide: beside their work, on a phone, and zoomed to 200 %, which halves the window in CSS pixels. */
const windows = [
  ...e2e.appearances.filter(({ name }) => ['wide-dark', 'phone'].includes(name)),
  { name: 'zoom', viewport: { width: 700, height: 450 }, colorScheme: 'dark' },
];

/** Both places of a call that waits: the button is in the window, and nothing is beside it. */
async function checkWaiting(page) {
  const visit = await page.context().newPage();
  const session = new URL(page.url()).pathname;
  for (const [place, path] of [
    ['session', session],
    ['inbox', '/approvals'],
  ]) {
    await visit.goto(`${e2e.url}${path}`, { timeout: RENDER_MS });
    await visit.locator(byTestId('deny-call')).waitFor({ timeout: RENDER_MS });
    for (const { name, viewport, colorScheme } of windows) {
      await visit.setViewportSize(viewport);
      await visit.emulateMedia({ colorScheme });
      await visit.locator(`html[data-scheme="${colorScheme}"]`).waitFor();
      await checkDecision(visit, `waiting-${place}-${name}`);
    }
  }
  await visit.close();
}

async function checkDecision(visit, name) {
  await e2e.screenshotView(visit, `${name}.png`);
  await e2e.assertAccessible(visit);
  await assertFitsWindow(visit, name);
  const { x, y, width, height } = await visit.locator(byTestId('deny-call')).boundingBox();
  const size = visit.viewportSize();
  const isIn = x >= 0 && x + width <= size.width && y >= 0 && y + height <= size.height;
  assert(isIn, `Deny is at ${x}, ${y} in ${name}`);
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
    await visit.getByTestId('settings-link').click();
    await visit.getByRole('radio', { name: 'UTC' }).check();
    await visit.goBack();
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

await e2e.run('keyboard', async (page) => {
  const title = `Disk of db-${Date.now()} is full`;
  const [, first] = await twoSessions(page, title);
  await checkTimes(page, first);
  await checkHistory(page, first);
  await checkErrors(page);
  await checkKeyboard(page, title);
  await checkWays(page, first, title);
  await checkOffline(page);
});
