/**
 * A running investigation is cancelled in a real browser, while its model writes.
 *
 * TARSY_ALERT_TYPE  a type whose investigation takes its time; more settings are named in kit.mjs
 */
import * as kit from './kit.mjs';

const button = kit.byTest('cancel-session');

async function cancel(page) {
  await kit.step('a session is seen at work', async () => {
    await kit.hold();
    await kit.submitAlert(page, kit.alertType, 'The disk is full');
    await page.locator(kit.byTest('streaming-text')).first().waitFor({ timeout: kit.patience });
  });
  await kit.step('cancelling asks first, and may be thought over', async () => {
    await page.locator(button).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    kit.demand(await page.locator(button).isEnabled(), 'the button is not there any more');
  });
  await kit.step('cancelled, it says so at once and ends as cancelled', async () => {
    await page.locator(button).click();
    await page.getByRole('button', { name: 'Cancel the investigation' }).click();
    await page.waitForFunction(
      (selector) => {
        const one = document.querySelector(selector);
        return one === null || one.textContent.includes('Cancelling');
      },
      button,
      { polling: 20 },
    );
    await kit.endsAs(page, 'cancelled');
  });
  await kit.step('nothing goes on: no button, no open text, no chat', async () => {
    await page.locator(kit.byTest('session-failure')).waitFor({ timeout: kit.patience });
    for (const gone of ['streaming-text', 'cancel-session', 'chat']) {
      const first = page.locator(kit.byTest(gone)).first();
      await first.waitFor({ state: 'detached', timeout: kit.patience });
    }
    const stages = page.locator(`${kit.byTest('stage')}[data-status="cancelled"]`);
    await stages.first().waitFor({ timeout: kit.patience });
  });
  await kit.step('the cancelled session is accessible', () => kit.accessible(page));
  await kit.picture(page, 'cancelled.png');
}

await kit.run('cancel', cancel);
