/**
 * Markdown that is rendered as it arrives, without jumps, and the code of the findings.
 *
 * TARSY_ALERT_TYPE needs a chain whose model writes a table, a list, a block of JSON and a task list again and again while it is
 * paused.
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

/** Signs of Markdown outside of code, which nobody should see while they are written. Runs in the page. */
function recordSigns(selector) {
  window.tarsySigns = [];
  const look = () => {
    const text = document.querySelector(selector)?.cloneNode(true);
    for (const code of text?.querySelectorAll('code') ?? []) code.remove();
    const [sign] = /\*\*|`|\||\[[ x]\]/.exec(text?.textContent ?? '') ?? [];
    if (sign) window.tarsySigns.push(text.textContent.slice(-40));
  };
  new MutationObserver(look).observe(document.body, {
    subtree: true,
    childList: true,
    characterData: true,
  });
}

/** Waits until the caret was seen at the end of code and of a list, and fails when it stands beside a button. */
function waitForCarets([selector, timeout]) {
  const seen = new Set();
  const hasCaret = (element) => getComputedStyle(element, '::after').content !== 'none';
  return new Promise((resolve, reject) => {
    const end = setTimeout(() => reject(new Error(`the caret was seen in ${[...seen]}`)), timeout);
    const look = () => {
      const carets = [...document.querySelectorAll(`${selector} *`)].filter(hasCaret);
      for (const { tagName } of carets) seen.add(tagName);
      if (carets.length > 1) return reject(new Error(`${carets.length} carets at a time`));
      if (seen.has('BUTTON')) return reject(new Error('the caret is beside a button'));
      if (!['CODE', 'LI', 'P', 'TD'].every((tag) => seen.has(tag)))
        return requestAnimationFrame(look);
      clearTimeout(end);
      return resolve([...seen].join(', '));
    };
    look();
  });
}

async function watch(page) {
  await e2e.step('a table, a list and code are rendered while the text arrives', async () => {
    await e2e.pauseModel();
    await page.addInitScript(e2e.recordShifts);
    await e2e.openAlert(page, { alert_type: e2e.alertType, data: 'The disk is full' });
    await page.locator(streaming).first().waitFor({ timeout: INVESTIGATION_MS });
    await page.evaluate(recordSigns, streaming);
    await waitForBlocks(page, 1);
    const text = page.locator(streaming).first();
    for (const part of ['strong', 'table td', 'ul li', 'pre code']) {
      await text.locator(part).first().waitFor({ timeout: RENDER_MS });
    }
  });
  await e2e.step('the caret follows the text through lists, tables and code', () =>
    page.evaluate(waitForCarets, [streaming, RENDER_MS]),
  );
  await e2e.step('task lists and tables are accessible while they stream', async () => {
    const text = page.locator(streaming).first();
    for (const name of ['Done', 'Not done']) {
      const box = text.getByRole('checkbox', { name, exact: true }).first();
      await box.waitFor({ timeout: RENDER_MS });
      assert(await box.isDisabled(), `${name} can be changed`);
    }
    return e2e.assertAccessible(page, ['minor', 'moderate', 'serious', 'critical']);
  });
  await e2e.step('nothing jumps, and what is rendered stays', async () => {
    const table = await page.locator(`${streaming} table`).first().elementHandle();
    await page.evaluate(() => {
      window.tarsyLayoutShift = 0;
    });
    await waitForBlocks(page, BLOCKS);
    assert(await table.evaluate((each) => each.isConnected), 'the first table was rendered anew');
    const signs = await page.evaluate(() => window.tarsySigns);
    assert.deepEqual(signs, [], 'Markdown is shown as it is written');
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
  await e2e.step('the findings are copied as Markdown, with title and link', async () => {
    const id = e2e.sessionIdOf(page);
    const { final_analysis: expected } = await e2e.send('GET', `/sessions/${id}`);
    const copy = page.getByRole('button', { name: 'Copy final analysis with its link' });
    const [title, url, ...text] = (await e2e.copied(page, copy)).split('\n\n');
    assert.match(title, /^## ./);
    assert.equal(url, `${e2e.url}/sessions/${id}#final-analysis`);
    assert.equal(text.join('\n\n'), expected.trim());
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
