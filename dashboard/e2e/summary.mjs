/**
 * A tool result of several megabytes: its streaming summary with both sizes, and the full result with
 * search.
 *
 * TARSY_ALERT_TYPE needs a chain that calls a tool with a large result.
 * TARSY_NEEDLE  a text in its last lines (default "row 84999")
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;
const needle = e2e.setting('TARSY_NEEDLE', 'row 84999');
const summary = `${byTestId('tool-card')} ${byTestId('summary-card')}`;

async function checkSummary(page) {
  await e2e.step('the summary grows under its call', async () => {
    await e2e.recordStreams(page, 'mcp_tool_summary');
    const lengths = await e2e.assertStreamGrows(page);
    await page.locator(summary).waitFor();
    return lengths;
  });
  await e2e.screenshotView(page, 'summary-live.png');
  await e2e.resumeModel();
  await e2e.step('the session completes', () => e2e.assertSessionEnds(page, 'completed'));
  await e2e.step('the summary shows both sizes', async () => {
    const sizes = page.locator(`${summary} ${byTestId('summary-sizes')}`);
    await sizes.filter({ hasText: /^[\d.,]+[kM] → [\d.,]+k? tokens$/ }).waitFor();
    assert((await page.locator(summary).count()) === 1, 'there is more than one summary');
    return sizes.innerText();
  });
}

async function checkFullResult(page) {
  await e2e.step('the full result opens, and its last lines are found', async () => {
    await page.locator(byTestId('open-result')).click();
    await page.locator(byTestId('long-text')).waitFor({ timeout: RENDER_MS });
    await page.locator(byTestId('text-search')).fill(needle);
    const line = page.locator(byTestId('matching-line')).filter({ hasText: needle });
    await line.waitFor({ timeout: RENDER_MS });
    await page.waitForFunction(
      ([selector, text]) => {
        const element = document.querySelector(selector);
        if (!element?.textContent.includes(text)) return false;
        const { top, bottom } = element.getBoundingClientRect();
        const box = element.closest('[data-testid="long-text"]').getBoundingClientRect();
        return top >= box.top && bottom <= box.bottom;
      },
      [byTestId('matching-line'), needle],
    );
    return page.locator(byTestId('match-count')).innerText();
  });
  await e2e.accessibilityStep(page, 'the dialog', 'full-result.png', { fullPage: false });
  await e2e.step(
    'it is copied where the browser has no clipboard API, as over plain HTTP',
    async () => {
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
      });
      const dialog = byTestId('full-result');
      // It says so for a moment, in which the page has two megabytes to copy.
      const shown = page.waitForFunction((inside) => {
        const button = document.querySelector(`${inside} button[aria-label="Copied"]`);
        return button && { hasFocus: button === document.activeElement };
      }, dialog);
      const button = page.locator(dialog).getByRole('button', { name: 'Copy full text' });
      const [copied] = await Promise.all([shown, button.click()]);
      assert((await copied.jsonValue()).hasFocus, 'the focus is lost');
      await page.evaluate(() => delete navigator.clipboard);
      const text = await page.evaluate(() => navigator.clipboard.readText());
      assert(text.includes(needle), `copied ${text.length} characters`);
      return `${text.length} characters`;
    },
  );
  await e2e.step('closing the dialog restores the focus', async () => {
    await page.keyboard.press('Escape');
    await page.locator(byTestId('full-result')).waitFor({ state: 'detached' });
    await page.waitForFunction(
      (selector) => document.activeElement === document.querySelector(selector),
      byTestId('open-result'),
    );
  });
}

await e2e.run('summary', async (page) => {
  await e2e.step('an alert is submitted', async () => {
    await e2e.pauseModel();
    return e2e.submitAlert(page, e2e.alertType, 'The ledger is full');
  });
  await checkSummary(page);
  await checkFullResult(page);
});
