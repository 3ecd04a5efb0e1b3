/**
 * Markdown that is rendered as it arrives, without jumps, and the code of the findings.
 *
 * TARSY_ALERT_TYPE needs a chain whose model writes a table, a list and a block of JSON again and again while it is paused.
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, INVESTIGATION_MS, RENDER_MS } = e2e;
const streaming = byTestId('streaming-text');
/** Rendered blocks of code after which the text is long enough. */
const BLOCKS = 3;

const waitForBlocks = (page, count) =>
  page.waitForFunction(
    ([selector, expected]) => document.querySelectorAll(`${selector} pre`).length >= expected,
    [streaming, count],
    { timeout: INVESTIGATION_MS, polling: 50 },
  );

async function watch(page) {
  await e2e.step('a table, a list and code are rendered while the text arrives', async () => {
    await e2e.pauseModel();
    await page.addInitScript(e2e.recordShifts);
    await e2e.openAlert(page, { alert_type: e2e.alertType, data: 'The disk is full' });
    await waitForBlocks(page, 1);
    const text = page.locator(streaming).first();
    for (const part of ['strong', 'table td', 'ul li', 'pre code']) {
      await text.locator(part).first().waitFor({ timeout: RENDER_MS });
    }
    const shown = await text.innerText();
    assert(!/\*\*|```|\|---/.test(shown), `Markdown is shown as it is written: ${shown}`);
  });
  await e2e.step('nothing jumps, and what is rendered stays', async () => {
    const table = await page.locator(`${streaming} table`).first().elementHandle();
    await page.evaluate(() => {
      window.tarsyLayoutShift = 0;
    });
    await waitForBlocks(page, BLOCKS);
    assert(await table.evaluate((each) => each.isConnected), 'the first table was rendered anew');
    return e2e.assertStill(page);
  });
  await e2e.screenshotView(page, 'streaming.png');
}

async function checkCode(page) {
  await e2e.step('the code of the findings has colors and is copied', async () => {
    await e2e.resumeModel();
    await e2e.assertSessionEnds(page, 'completed');
    const analysis = page.locator(byTestId('final-analysis'));
    const code = analysis.getByRole('group', { name: 'Code', exact: true }).first();
    await code.locator('[data-language="json"] .hljs-attr').first().waitFor({ timeout: RENDER_MS });
    const copy = analysis.getByRole('button', { name: 'Copy code', exact: true }).first();
    const text = await e2e.copied(page, copy);
    assert.equal(text.trim(), (await code.innerText()).trim());
    return JSON.stringify(JSON.parse(text));
  });
  await e2e.step('the findings are copied as Markdown', async () => {
    const { final_analysis: expected } = await e2e.send(
      'GET',
      `/sessions/${e2e.sessionIdOf(page)}`,
    );
    const copy = page.getByRole('button', { name: 'Copy final analysis', exact: true });
    assert.equal(await e2e.copied(page, copy), expected);
  });
  await e2e.accessibilityStep(page, 'the findings', 'streamed.png');
}

/** Of Markdown that the scripted model does not write. */
const tasks =
  '- [x] rotate the logs\n- [ ] look at what writes them\n\n|  | Used |\n|---|---|\n| / | 98 % |';

async function checkTasks(page) {
  await e2e.step('task lists and tables without a heading are accessible', async () => {
    const path = `**/api/v1/sessions/${e2e.sessionIdOf(page)}`;
    await page.route(path, async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        json: { ...(await response.json()), final_analysis: tasks },
      });
    });
    await page.reload({ timeout: RENDER_MS });
    const analysis = page.locator(byTestId('final-analysis'));
    await analysis.getByRole('checkbox', { name: 'Done', exact: true }).waitFor();
    await analysis.getByRole('checkbox', { name: 'Not done', exact: true }).waitFor();
    assert.equal(await analysis.getByRole('columnheader').count(), 1);
    const accessible = await e2e.assertAccessible(page, [
      'minor',
      'moderate',
      'serious',
      'critical',
    ]);
    await page.unroute(path);
    return accessible;
  });
}

await e2e.run('streaming', async (page) => {
  await watch(page);
  await checkCode(page);
  await checkTasks(page);
});
