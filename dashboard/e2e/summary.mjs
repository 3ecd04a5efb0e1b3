/**
 * A result of megabytes, in a real browser: its summary grows under its call with both sizes, and
 * the whole result is opened and searched.
 *
 * TARSY_ALERT_TYPE  a type whose chain calls a tool that answers much
 * TARSY_NEEDLE      a text of its last lines; more settings are named in kit.mjs
 */
import process from 'node:process';
import {
  accessible,
  alertType,
  byTest,
  demand,
  endsAs,
  patience,
  picture,
  run,
  step,
  submitAlert,
  VISIBLE_MS,
} from './kit.mjs';

const needle = process.env.TARSY_NEEDLE ?? 'row 84999';
const summary = `${byTest('tool-card')} ${byTest('summary-card')}`;

async function tooMuch(page) {
  await step('an alert is submitted', () => submitAlert(page, alertType, 'The ledger is full'));
  await step('the summary is seen growing under its call', async () => {
    await page.waitForFunction(
      (selector) => {
        const text = document.querySelector(`${selector} [data-testid="streaming-text"]`);
        const length = text?.textContent?.length ?? 0;
        const seen = (window.tarsySummary ??= []);
        if (length > 0 && seen.at(-1) !== length) seen.push(length);
        return seen.length >= 3;
      },
      summary,
      { timeout: patience, polling: 20 },
    );
  });
  await picture(page, 'summary-live.png', false);
  await step('the session completes', () => endsAs(page, 'completed'));
  await step('the summary tells both sizes', async () => {
    demand((await page.locator(summary).count()) === 1, 'there is more than one summary');
    const sizes = await page.locator(`${summary} ${byTest('summary-sizes')}`).innerText();
    demand(/^[\d.,]+[kM] → \d+ tokens$/.test(sizes), sizes);
    return sizes;
  });
  await step('the whole result opens, and its last lines are found', async () => {
    await page.locator(byTest('open-result')).click();
    await page.locator(byTest('long-text')).waitFor({ timeout: VISIBLE_MS });
    await page.locator(byTest('find-text')).fill(needle);
    const line = page.locator(byTest('found-line'));
    await line.filter({ hasText: needle }).waitFor({ timeout: VISIBLE_MS });
    const seen = await line.evaluate((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      const box = one.closest('[data-testid="long-text"]').getBoundingClientRect();
      return top >= box.top && bottom <= box.bottom;
    });
    demand(seen, 'the line that was found is out of sight');
    return page.locator(byTest('found')).innerText();
  });
  await step('the dialog is accessible', () => accessible(page));
  await picture(page, 'whole-result.png', false);
  await step('it closes, and the focus is where it was', async () => {
    await page.keyboard.press('Escape');
    await page.locator(byTest('whole-result')).waitFor({ state: 'detached' });
    const back = await page
      .locator(byTest('open-result'))
      .evaluate((one) => document.activeElement === one);
    demand(back, 'the focus went elsewhere');
  });
}

await run('summary', tooMuch);
