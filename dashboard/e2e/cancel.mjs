/**
 * Cancelling a running investigation.
 *
 * TARSY_ALERT_TYPE needs a chain whose model streams slowly.
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, INVESTIGATION_MS } = e2e;
const button = byTestId('cancel-session');

async function cancelSession(page) {
  await e2e.step('the confirmation can be closed', async () => {
    await page.locator(button).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert(await page.locator(button).isEnabled(), 'the button is not enabled any more');
  });
  await e2e.step('cancelling is shown immediately, and the session ends as cancelled', async () => {
    await page.locator(button).click();
    await page.getByRole('button', { name: 'Cancel investigation' }).click();
    await page.waitForFunction(
      (selector) => {
        const element = document.querySelector(selector);
        return element === null || element.textContent.includes('Cancelling');
      },
      button,
      { polling: 20 },
    );
    await e2e.assertSessionEnds(page, 'cancelled');
  });
}

await e2e.run('cancel', async (page) => {
  await e2e.step('a session is running', async () => {
    await e2e.pauseModel();
    await e2e.submitAlert(page, e2e.alertType, 'The disk is full');
    await page.locator(byTestId('streaming-text')).first().waitFor({ timeout: INVESTIGATION_MS });
  });
  await cancelSession(page);
  await e2e.step('nothing is running: no button, no streaming text, no chat', async () => {
    await page.locator(byTestId('session-failure')).waitFor({ timeout: INVESTIGATION_MS });
    for (const id of ['streaming-text', 'cancel-session', 'chat']) {
      const element = page.locator(byTestId(id)).first();
      await element.waitFor({ state: 'detached', timeout: INVESTIGATION_MS });
    }
    const stages = page.locator(`${byTestId('stage')}[data-status="cancelled"]`);
    await stages.first().waitFor({ timeout: INVESTIGATION_MS });
  });
  await e2e.step(
    'the text that was cut off says why, and there is no finding to review',
    async () => {
      await page.getByText('Cancelled before it was complete.').waitFor();
      await page.locator(byTestId('execution')).filter({ hasText: 'Cancelled' }).first().waitFor();
      const { completed_at: end } = await e2e.send('GET', `/sessions/${e2e.sessionIdOf(page)}`);
      assert(end !== null, 'the session has no end');
      const details = page.locator(byTestId('session-details'));
      await details.filter({ hasText: /Completed\s*[A-Z]/ }).waitFor({ timeout: INVESTIGATION_MS });
      assert.equal(await page.locator(byTestId('review')).count(), 0);
    },
  );
  await e2e.accessibilityStep(page, 'the cancelled session', 'cancelled.png');
});
