/**
 * A result of megabytes, in a real browser: its summary grows under its call with both sizes, and
 * the whole result is opened and searched.
 *
 * TARSY_ALERT_TYPE  a type whose chain calls a tool that answers much
 * TARSY_NEEDLE      a text of its last lines; more settings are named in kit.mjs
 */
import process from 'node:process';
import * as kit from './kit.mjs';

const needle = process.env.TARSY_NEEDLE ?? 'row 84999';
const summary = `${kit.byTest('tool-card')} ${kit.byTest('summary-card')}`;

async function tooMuch(page) {
  await kit.step('an alert is submitted', async () => {
    await kit.hold();
    return kit.submitAlert(page, kit.alertType, 'The ledger is full');
  });
  await kit.step('the summary is seen growing under its call', async () => {
    await page.waitForFunction(
      (selector) => {
        const text = document.querySelector(`${selector} [data-testid="streaming-text"]`);
        const length = text?.textContent?.length ?? 0;
        const seen = (window.tarsySummary ??= []);
        if (length > 0 && seen.at(-1) !== length) seen.push(length);
        return seen.length >= 3;
      },
      summary,
      { timeout: kit.patience, polling: 20 },
    );
  });
  await kit.picture(page, 'summary-live.png', false);
  await kit.release();
  await kit.step('the session completes', () => kit.endsAs(page, 'completed'));
  await kit.step('the summary tells both sizes', async () => {
    const sizes = page.locator(`${summary} ${kit.byTest('summary-sizes')}`);
    await sizes.filter({ hasText: /^[\d.,]+[kM] → [\d.,]+k? tokens$/ }).waitFor();
    kit.demand((await page.locator(summary).count()) === 1, 'there is more than one summary');
    return sizes.innerText();
  });
  await kit.step('the whole result opens, and its last lines are found', async () => {
    await page.locator(kit.byTest('open-result')).click();
    await page.locator(kit.byTest('long-text')).waitFor({ timeout: kit.VISIBLE_MS });
    await page.locator(kit.byTest('find-text')).fill(needle);
    const line = page.locator(kit.byTest('found-line')).filter({ hasText: needle });
    await line.waitFor({ timeout: kit.VISIBLE_MS });
    await page.waitForFunction(
      ([selector, words]) => {
        const one = document.querySelector(selector);
        if (!one?.textContent.includes(words)) return false;
        const { top, bottom } = one.getBoundingClientRect();
        const box = one.closest('[data-testid="long-text"]').getBoundingClientRect();
        return top >= box.top && bottom <= box.bottom;
      },
      [kit.byTest('found-line'), needle],
    );
    return page.locator(kit.byTest('found')).innerText();
  });
  await kit.step('the dialog is accessible', () => kit.accessible(page));
  await kit.picture(page, 'whole-result.png', false);
  await kit.step('it closes, and the focus is where it was', async () => {
    await page.keyboard.press('Escape');
    await page.locator(kit.byTest('whole-result')).waitFor({ state: 'detached' });
    await page.waitForFunction(
      (selector) => document.activeElement === document.querySelector(selector),
      kit.byTest('open-result'),
    );
  });
}

await kit.run('summary', tooMuch);
