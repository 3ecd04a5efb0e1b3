/**
 * The end of a session that somebody watches: nothing that is read moves, and the findings appear when they are asked for; a page
 * that nobody sees shows them at once.
 *
 * TARSY_MODEL_URL  the scripted model, which holds its answer while it is paused
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, INVESTIGATION_MS, RENDER_MS } = e2e;
const revealing = byTestId('reveal-findings');

const windows = [
  { name: 'a wide window', viewport: { width: 1400, height: 900 } },
  { name: 'a phone', viewport: { width: 390, height: 844 } },
];

/** Opens a session whose model is in the middle of its answer. */
async function openRunning(page) {
  await e2e.pauseModel();
  const alert = { alert_type: e2e.alertType, data: 'The disk is full', title: 'Disk of web-1' };
  const { session_id: id } = await e2e.send('POST', '/alerts', alert);
  await page.addInitScript(e2e.recordShifts);
  await page.goto(`${e2e.url}/sessions/${id}`, { timeout: RENDER_MS });
  await page.locator(byTestId('streaming-text')).first().waitFor({ timeout: INVESTIGATION_MS });
  // What the page asks for because of the events before the text is there, too.
  await page.waitForLoadState('networkidle', { timeout: RENDER_MS });
}

async function watchEnd(browser, { name, viewport }) {
  const page = await browser.newPage({ viewport });
  await e2e.step(`in ${name} nothing moves when a session ends`, async () => {
    await openRunning(page);
    // What comes before is a matter of the stream.
    await page.evaluate(() => Object.assign(window, { tarsyLayoutShift: 0, tarsyMoved: [] }));
    await e2e.resumeModel();
    await page.locator(`${revealing}:enabled`).waitFor({ timeout: INVESTIGATION_MS });
    await page.locator(byTestId('held-end')).filter({ hasText: 'completed' }).waitFor();
    await e2e.assertAccessible(page);
    return e2e.assertStill(page);
  });
  await e2e.step(`in ${name} a key shows the findings`, async () => {
    await page.locator(revealing).focus();
    await page.keyboard.press('Enter');
    await page.locator(byTestId('final-analysis')).waitFor({ timeout: RENDER_MS });
    await page.locator(byTestId('findings-status')).waitFor({ timeout: RENDER_MS });
    const focused = await page.evaluate(() => document.activeElement?.dataset.testid);
    assert.match(focused ?? '', /executive-summary|final-analysis/);
    assert.equal(await page.locator(revealing).count(), 0);
    return e2e.assertAccessible(page);
  });
  await page.close();
}

await e2e.run('ending', async (page) => {
  for (const each of windows) await watchEnd(page.context().browser(), each);
});
