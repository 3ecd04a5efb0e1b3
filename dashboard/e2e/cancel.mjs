/**
 * A running investigation is cancelled in a real browser, while its model writes.
 *
 * TARSY_ALERT_TYPE  a type whose investigation takes its time; more settings are named in kit.mjs
 */
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
} from './kit.mjs';

const button = byTest('cancel-session');

async function cancel(page) {
  await step('a session is seen at work', async () => {
    await submitAlert(page, alertType, 'The disk is full');
    await page.locator(byTest('streaming-text')).first().waitFor({ timeout: patience });
  });
  await step('cancelling asks first, and may be thought over', async () => {
    await page.locator(button).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    demand(await page.locator(button).isEnabled(), 'the button is not there any more');
  });
  await step('cancelled, it says so at once and ends as cancelled', async () => {
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
    await endsAs(page, 'cancelled');
  });
  await step('nothing goes on: no button, no open text, no chat', async () => {
    await page.locator(byTest('session-failure')).waitFor({ timeout: patience });
    await page.locator(byTest('streaming-text')).waitFor({ state: 'detached', timeout: patience });
    for (const gone of ['cancel-session', 'chat']) {
      demand((await page.locator(byTest(gone)).count()) === 0, `${gone} is still there`);
    }
    const stages = page.locator(`${byTest('stage')}[data-status="cancelled"]`);
    await stages.first().waitFor({ timeout: patience });
  });
  await step('the cancelled session is accessible', () => accessible(page));
  await picture(page, 'cancelled.png');
}

await run('cancel', cancel);
