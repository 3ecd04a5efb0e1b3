/**
 * Many sessions, and work without a mouse: sessions are cancelled, reviewed, taken and run again together; skip links, keys and commands;
 * notifications of the browser.
 *
 * TARSY_ALERT_TYPE needs a chain with chat whose model can be paused.
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, INVESTIGATION_MS, RENDER_MS } = e2e;
const word = Date.now().toString(36);
const alertOf = (name) => ({
  alert_type: e2e.alertType,
  data: 'The disk is full',
  title: `Disk of ${name}-${word} is full`,
});

const submit = async (name) => (await e2e.send('POST', '/alerts', alertOf(name))).session_id;
const read = (id) => e2e.send('GET', `/sessions/${id}`);

const allAre = (ids, status) =>
  e2e.eventually(
    `the sessions are ${status}`,
    async () => (await Promise.all(ids.map(read))).every((each) => each.status === status),
    INVESTIGATION_MS,
  );

const rowOf = (page, id, kind = 'session-row') =>
  page.locator(`${byTestId(kind)}[data-session-id="${id}"]`);

const outcomeOf = (row, state) => row.locator(`${byTestId('row-outcome')}[data-state="${state}"]`);

async function cancelTogether(page) {
  const ids = [];
  await e2e.step('two running sessions are selected', async () => {
    await e2e.pauseModel();
    ids.push(await submit('one'), await submit('two'));
    await page.goto(`${e2e.url}/`, { timeout: RENDER_MS });
    for (const id of ids) {
      const box = rowOf(page, id, 'active-session').getByRole('checkbox');
      await box.check({ timeout: RENDER_MS });
    }
    await page.locator(byTestId('bulk-bar')).getByText('2 sessions selected').waitFor();
  });
  await e2e.step('both are cancelled after one confirmation', async () => {
    await page.getByRole('button', { name: 'Cancel sessions' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Cancel 2 sessions?').waitFor();
    await e2e.assertAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel 2 sessions' }).click();
    await allAre(ids, 'cancelled');
    await e2e.resumeModel();
  });
}

/** Presses j until the row has the focus. */
async function visitWithKeys(page, row) {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('j');
    if (await row.evaluate((each) => each.contains(document.activeElement))) return;
  }
  throw new Error('j does not reach the session');
}

const focusedTag = (page) => page.evaluate(() => document.activeElement?.tagName);

async function reviewTogether(page, ids) {
  await e2e.step('a session is selected with keys, another with a click', async () => {
    await page.goto(`${e2e.url}/`, { timeout: RENDER_MS });
    for (const id of ids) await rowOf(page, id).waitFor({ timeout: RENDER_MS });
    await visitWithKeys(page, rowOf(page, ids[0]));
    await page.keyboard.press('x');
    assert(await rowOf(page, ids[0]).getByRole('checkbox').isChecked(), 'x has not selected it');
    await rowOf(page, ids[1]).getByRole('checkbox').check();
    await page.locator(byTestId('bulk-bar')).getByText('2 sessions selected').waitFor();
  });
  await e2e.accessibilityStep(page, 'the list with selected sessions', 'bulk.png');
  await e2e.step('two selected sessions are compared', async () => {
    const bar = page.locator(byTestId('bulk-bar'));
    const links = await e2e.copied(page, bar.getByRole('button', { name: /^Copy links/ }));
    for (const id of ids) assert(links.includes(`${e2e.url}/sessions/${id}`), links);
    const compare = await bar.getByRole('link', { name: 'Compare' }).getAttribute('href');
    for (const id of ids) assert(compare.includes(id), compare);
  });
  await e2e.step('both are marked as reviewed, and say so', async () => {
    await page.getByRole('button', { name: 'Mark reviewed' }).click();
    await page.getByRole('menuitem', { name: 'Partly accurate' }).click();
    for (const id of ids) {
      await outcomeOf(rowOf(page, id), 'done').getByText('Reviewed: Partly accurate').waitFor();
      await rowOf(page, id).locator(byTestId('review-badge')).waitFor({ timeout: RENDER_MS });
      assert.equal((await read(id)).review, 'partly');
    }
    await page.getByText('2 sessions done, 0 failed. 0 sessions selected').waitFor();
  });
  await e2e.step('the focus stays at the actions, then moves to the list', async () => {
    const bar = page.locator(byTestId('bulk-bar'));
    const hasIt = (locator) => locator.evaluate((each) => each === document.activeElement);
    assert(await hasIt(bar), `the focus is lost, to ${await focusedTag(page)}`);
    await bar.getByRole('button', { name: 'Close' }).press('Enter');
    await bar.waitFor({ state: 'detached' });
    assert(await hasIt(page.getByRole('checkbox', { name: /^Select all/ })), 'the focus is lost');
    // A checkbox takes no text: keys still work.
    await page.keyboard.press('?');
    await page.locator(byTestId('help-sheet')).waitFor();
    await page.keyboard.press('Escape');
    await page.locator(byTestId('help-sheet')).waitFor({ state: 'detached' });
  });
}

/** Another person has one of them. */
async function takeTogether(page, ids) {
  await e2e.step('both are taken with keys, and the one that bob has says so', async () => {
    await e2e.send('POST', `/sessions/${ids[0]}/triage`, { triage: 'taken', assignee: 'bob' });
    await rowOf(page, ids[0]).getByText('Taken by bob').waitFor({ timeout: RENDER_MS });
    for (const id of ids) await rowOf(page, id).getByRole('checkbox').check();
    const bar = page.locator(byTestId('bulk-bar'));
    await bar.waitFor();
    await page.keyboard.press('w');
    await hasFocus(page, '[data-shortcut="w"]');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Take', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await outcomeOf(rowOf(page, ids[0]), 'failed')
      .getByText(/: taken by bob;/)
      .waitFor();
    await outcomeOf(rowOf(page, ids[1]), 'done').waitFor();
    await bar.getByText('1 session done, 1 failed. 1 session selected').waitFor();
  });
  await e2e.accessibilityStep(page, 'the list with sessions that people have', 'triage-list.png');
  await e2e.step('My sessions has the one that is theirs, in the address', async () => {
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await page.getByRole('button', { name: 'My sessions' }).click();
    await page.waitForURL(/triage=taken.*mine=true/);
    await rowOf(page, ids[0]).waitFor({ state: 'detached' });
    await rowOf(page, ids[1]).waitFor({ timeout: RENDER_MS });
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rowOf(page, ids[0]).waitFor({ timeout: RENDER_MS });
  });
}

/** On the page of a session that bob has: what another viewer does is shown at once. */
async function triageOnPage(page, id) {
  const panel = page.locator(byTestId('triage'));
  await e2e.step('a session that another person has is taken over, and finished', async () => {
    await page.goto(`${e2e.url}/sessions/${id}`, { timeout: RENDER_MS });
    await panel.getByText('Taken by bob').waitFor({ timeout: RENDER_MS });
    await panel.getByRole('button', { name: 'Take over' }).click();
    await panel.getByRole('button', { name: 'Give back' }).waitFor();
    await panel.getByRole('button', { name: 'Add a note or assign' }).click();
    await panel.getByRole('textbox', { name: 'Note' }).fill('The disk was grown.');
    await page.keyboard.press('Control+Enter');
    await panel.getByText('The disk was grown.', { exact: true }).waitFor();
  });
  await e2e.step('a change from elsewhere is shown without a reload', async () => {
    await e2e.send('POST', `/sessions/${id}/triage`, { triage: 'done', take_over: true });
    await panel.getByText(/^Done by /).waitFor({ timeout: RENDER_MS });
    await panel.getByRole('button', { name: 'Reopen' }).waitFor();
  });
  await e2e.accessibilityStep(page, 'a session that is done', 'triage.png');
  await page.goto(`${e2e.url}/`, { timeout: RENDER_MS });
  await rowOf(page, id).waitFor({ timeout: RENDER_MS });
}

async function rerunTogether(page, ids) {
  await e2e.step('both are run again, each with a link to its new session', async () => {
    for (const id of ids) await rowOf(page, id).getByRole('checkbox').check();
    const bar = page.locator(byTestId('bulk-bar'));
    await bar.getByRole('button', { name: 'Re-run' }).click();
    await page.getByRole('button', { name: 'Re-run 2 sessions' }).click();
    const links = ids.map((id) =>
      outcomeOf(rowOf(page, id), 'done').getByRole('link', { name: 'Open the new session' }),
    );
    for (const link of links) await link.waitFor({ timeout: RENDER_MS });
    const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
    const created = paths.map((path) => path.split('/').at(-1));
    await allAre(created, 'completed');
    const titles = (await Promise.all(created.map(read))).map(({ title }) => title);
    assert.deepEqual(titles, [alertOf('three').title, alertOf('four').title]);
  });
}

const hasFocus = (page, selector) =>
  page.waitForFunction((each) => document.activeElement?.matches(each), selector);

async function followSkipLink(page, name, target) {
  const link = page.getByRole('link', { name });
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    if (await link.evaluate((each) => each === document.activeElement)) break;
  }
  const { top, outline } = await link.evaluate((each) => ({
    top: each.getBoundingClientRect().top,
    outline: getComputedStyle(each).outlineStyle,
  }));
  assert(top >= 0, `"${name}" is not visible while it has the focus`);
  assert(outline !== 'none', `"${name}" has no visible focus`);
  await page.keyboard.press('Enter');
  await page.waitForURL((at) => at.hash === `#${target}`);
  await page.keyboard.press('Tab');
  const inside = await page.evaluate(
    (id) => document.getElementById(id).contains(document.activeElement),
    target,
  );
  assert(inside, `Tab leads out of #${target}, to ${await focusedTag(page)}`);
}

async function checkKeys(page, id) {
  await e2e.step('a whole session ID leads to its session from the commands', async () => {
    await page.keyboard.press('Control+k');
    await page.locator(byTestId('command-palette')).waitFor();
    await page.keyboard.type(id);
    await page.getByRole('option', { name: `Open session ${id}` }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/sessions/${id}$`));
    await page.locator(byTestId('session-details')).waitFor({ timeout: RENDER_MS });
    await page.locator(byTestId('chat')).waitFor({ timeout: RENDER_MS });
  });
  await e2e.step('keys lead to the parts of a session', async () => {
    for (const key of ['f', 't', 'r', 'w', 'a']) {
      await page.keyboard.press(key);
      await hasFocus(page, `[data-shortcut="${key}"]`);
    }
    assert.equal(await focusedTag(page), 'TEXTAREA');
    // In a field they are text.
    await page.keyboard.type('fa?');
    assert.equal(await page.locator(byTestId('chat-question')).inputValue(), 'fa?');
    await page.locator(byTestId('chat-question')).fill('');
    await page.evaluate(() => document.activeElement.blur());
  });
  await e2e.step('skip links lead to the content and to the timeline', async () => {
    await page.reload({ timeout: RENDER_MS });
    await page.locator(byTestId('session-details')).waitFor({ timeout: RENDER_MS });
    await page.locator(e2e.timelineItem).first().waitFor({ timeout: RENDER_MS });
    await followSkipLink(page, 'Skip to main content', 'main');
    await page.reload({ timeout: RENDER_MS });
    await page.locator(e2e.timelineItem).first().waitFor({ timeout: RENDER_MS });
    await followSkipLink(page, 'Skip to timeline', 'timeline');
  });
  await e2e.step('the help sheet turns single keys off, and on again', async () => {
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('?');
    const help = page.locator(byTestId('help-sheet'));
    await help.getByText('Ask a question', { exact: false }).waitFor();
    await help.getByRole('switch', { name: 'Single-key shortcuts' }).uncheck();
    await help.getByRole('button', { name: 'Close' }).click();
    await help.waitFor({ state: 'detached' });
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await page.locator(byTestId('command-palette')).waitFor();
    assert.equal(await help.count(), 0, 'the key still opens the help sheet');
    await page.keyboard.type('keyboard');
    await page.keyboard.press('Enter');
    await help.getByRole('switch', { name: 'Single-key shortcuts' }).check();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
  });
}

/** Records the notifications that the page shows, and lets it be out of view. Runs in the page. */
function recordNotifications() {
  window.tarsyNotifications = [];
  const { Notification: Shown } = window;
  window.Notification = class extends Shown {
    constructor(title, options) {
      super(title, options);
      window.tarsyNotifications.push({ title, ...options });
    }
  };
  Object.defineProperty(document, 'visibilityState', {
    get: () => (window.tarsyHidden ? 'hidden' : 'visible'),
  });
}

/** What people answer to the browser's question. Chromium without windows never asks, and blocks them. Runs in the page. */
function grantNotifications() {
  Object.defineProperty(window.Notification, 'permission', { get: () => 'granted' });
  window.Notification.requestPermission = () => Promise.resolve('granted');
}

const notified = (page) => page.evaluate(() => window.tarsyNotifications);

async function checkNotifications(page) {
  const toggle = page.getByRole('switch', { name: /^Notify me/ });
  await page.context().addInitScript(recordNotifications);
  await e2e.step('notifications are off, and stay off when the browser blocks them', async () => {
    await page.goto(`${e2e.url}/settings`, { timeout: RENDER_MS });
    assert.equal(await toggle.isChecked(), false);
    await toggle.click();
    await page.getByText(/^The browser blocks them\./).waitFor();
    assert.equal(await toggle.isChecked(), false);
  });
  await e2e.step('once they are on, the end of a session is told out of view alone', async () => {
    await page.context().addInitScript(grantNotifications);
    await page.reload({ timeout: RENDER_MS });
    assert.equal(await toggle.isChecked(), false, 'they are on without being turned on');
    const seen = page.waitForResponse(/\/assets\/Notifier-/);
    await toggle.click();
    await seen;
    await page.getByRole('link', { name: 'TARSy, all sessions' }).click();
    await page.waitForLoadState('networkidle');
    const first = await submit('five');
    await allAre([first], 'completed');
    await rowOf(page, first).waitFor({ timeout: RENDER_MS });
    await page.evaluate(() => {
      window.tarsyHidden = true;
    });
    const second = await submit('six');
    await allAre([second], 'completed');
    await e2e.eventually('it is told', async () => (await notified(page)).length > 0);
    const [{ title, tag }, ...others] = await notified(page);
    assert.deepEqual([title, tag], [`Cause not found: ${alertOf('six').title}`, second]);
    assert.deepEqual(others, []);
    return title;
  });
}

await e2e.run('bulk', async (page) => {
  await cancelTogether(page);
  const ids = [];
  await e2e.step('two sessions complete', async () => {
    ids.push(await submit('three'), await submit('four'));
    await allAre(ids, 'completed');
  });
  await reviewTogether(page, ids);
  await takeTogether(page, ids);
  await rerunTogether(page, ids);
  await triageOnPage(page, ids[0]);
  await checkKeys(page, ids[0]);
  await checkNotifications(page);
});
