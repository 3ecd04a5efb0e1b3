/**
 * The pages of schedules and memories: empty, filled, failing, and with the keyboard alone.
 *
 * TARSY_ALERT_TYPE needs a chain. One schedule is configured, which has not run; one session has completed, and none is reviewed.
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';
import { follow, hasFocus, tabTo } from './keys.mjs';

const { byTestId, RENDER_MS } = e2e;

const CAUSE = 'A log filled the disk of the ledger.';

async function open(page, path, shows) {
  await page.goto(`${e2e.url}${path}`, { timeout: RENDER_MS });
  await page.locator(byTestId(shows)).first().waitFor({ timeout: RENDER_MS });
}

/** The page while its request fails, with the ID under which the logs have the cause. */
async function checkFailure(page, path, request) {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const problem = { title: 'Internal error', detail: 'It failed.', trace_id: trace };
  await page.route(request, (route) =>
    route.fulfill({
      status: 500,
      contentType: 'application/problem+json',
      body: JSON.stringify(problem),
    }),
  );
  await open(page, path, 'trace-id');
  await page.locator(byTestId('trace-id')).filter({ hasText: trace }).waitFor();
  const accessible = await e2e.assertAccessible(page);
  await page.unroute(request);
  return accessible;
}

async function checkSchedules(page) {
  await e2e.step('a schedule shows when it begins and that it has not run', async () => {
    await open(page, '/schedules', 'schedule');
    const panel = page.locator(byTestId('schedule'));
    for (const text of ['It has not run yet.', 'Next', 'Time zone']) {
      await panel.getByText(text, { exact: true }).waitFor();
    }
    return e2e.assertAccessible(page);
  });
  await e2e.step('a schedule is run with the keyboard alone', async () => {
    const keys = await follow(page, 'Run now');
    await page.waitForURL(/\/sessions\/[^/]+$/, { timeout: RENDER_MS });
    const id = e2e.sessionIdOf(page);
    await e2e.assertSessionEnds(page, 'completed');
    await page.goBack();
    const run = page.locator(byTestId('schedule-run')).first();
    await run.getByText(/asked for by/).waitFor({ timeout: RENDER_MS });
    assert.equal(await run.getByRole('link').getAttribute('href'), `/sessions/${id}`);
    await e2e.assertAccessible(page);
    return `${keys} keys`;
  });
  await e2e.step('without schedules the page says how to add one', async () => {
    await page.route('**/api/v1/schedules', (route) => route.fulfill({ json: { schedules: [] } }));
    await open(page, '/schedules', 'no-schedules');
    const accessible = await e2e.assertAccessible(page);
    await page.unroute('**/api/v1/schedules');
    return accessible;
  });
  await e2e.step('schedules that cannot be read say so', () =>
    checkFailure(page, '/schedules', '**/api/v1/schedules'),
  );
}

/** Chooses a button of the only memory, and one of the dialog that it opens. */
async function decide(page, button, answer) {
  await follow(page, button);
  await page.locator(byTestId('memory-dialog')).waitFor({ timeout: RENDER_MS });
  await answer();
  await page.keyboard.press('Enter');
  await page.locator(byTestId('memory-dialog')).waitFor({ state: 'detached' });
}

async function checkEmpty(page) {
  await e2e.step('without memories the page says what makes them', async () => {
    await open(page, '/memories', 'no-memories');
    return e2e.assertAccessible(page);
  });
  await e2e.step('memories that cannot be read say so', () =>
    checkFailure(page, '/memories', '**/api/v1/memories?*'),
  );
}

async function checkMemories(page) {
  const row = page.locator(byTestId('memory'));
  await e2e.step('a review makes a memory, with the session that it is of', async () => {
    const { sessions } = await e2e.send('GET', '/sessions');
    const { id } = sessions.find(({ status }) => status === 'completed');
    const review = { review: 'accurate', actual_cause: CAUSE, object: 'ledger' };
    await e2e.send('PUT', `/sessions/${id}/review`, review);
    await open(page, '/memories', 'memory');
    await row.getByText(CAUSE, { exact: true }).waitFor();
    assert.equal(await row.getByRole('link').getAttribute('href'), `/sessions/${id}`);
    return e2e.assertAccessible(page);
  });
  await e2e.step('a memory is edited, retired and restored with the keyboard alone', async () => {
    await decide(page, 'Edit', async () => {
      await hasFocus(page, 'textarea');
      await e2e.assertAccessible(page);
      await page.keyboard.press('Control+a');
      await page.keyboard.type('Nobody rotates the logs.');
      await tabTo(page, 'Save');
    });
    await row.getByText('Nobody rotates the logs.', { exact: true }).waitFor();
    await follow(page, 'Retire');
    await page.locator(`${byTestId('memory')}[data-state="retired"]`).waitFor();
    await e2e.assertAccessible(page);
    await follow(page, 'Restore');
    await page.locator(`${byTestId('memory')}[data-state="active"]`).waitFor();
  });
  await e2e.step('a filter that matches none is cleared with the keyboard alone', async () => {
    await page.getByLabel('Words', { exact: true }).fill('unheard of');
    await page.locator(byTestId('no-matching-memories')).waitFor();
    const accessible = await e2e.assertAccessible(page);
    await follow(page, 'Show all memories');
    await row.waitFor();
    return accessible;
  });
  await e2e.step('a memory is deleted with the keyboard alone', async () => {
    await decide(page, 'Delete', () => tabTo(page, 'Delete memory'));
    await page.locator(byTestId('no-memories')).waitFor();
  });
}

await e2e.run('knowledge', async (page) => {
  await checkEmpty(page);
  await checkSchedules(page);
  await checkMemories(page);
});
