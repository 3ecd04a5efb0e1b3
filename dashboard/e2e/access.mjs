/** API tokens and the audit log: a token is created, used, found in the audit log, and revoked. */
import assert from 'node:assert/strict';
import { assertFitsWindow } from './fitting.mjs';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;
/** Replicas accept a revoked token for a few seconds. */
const REVOCATION_MS = 30_000;
const name = `e2e-${Date.now()}`;

/** Sends an alert as a script would: without a browser. Returns the status. */
async function submitWith(token, type = e2e.alertType) {
  const response = await fetch(`${e2e.url}/api/v1/alerts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ alert_type: type, data: 'The disk is full.' }),
  });
  return response.status;
}

async function createToken(page) {
  const dialog = page.locator(byTestId('token-dialog'));
  await e2e.step('the form names what is missing, by keyboard alone', async () => {
    await page.goto(`${e2e.url}/tokens`, { timeout: RENDER_MS });
    await page.locator(byTestId('create-token')).focus();
    await page.keyboard.press('Enter');
    const field = dialog.getByRole('textbox', { name: 'Name' });
    await field.waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByText('A name is required.').waitFor();
    await dialog.getByText('Choose at least one alert type.').waitFor();
    assert(await field.evaluate((input) => input === document.activeElement));
  });
  await e2e.accessibilityStep(page, 'the form for a token', 'token-form.png', { fullPage: false });
  return e2e.step('a token of an alert source is created, and shown once', async () => {
    await page.keyboard.type(name);
    await dialog.getByRole('checkbox', { name: e2e.alertType, exact: true }).check();
    await page.keyboard.press('Enter');
    await dialog.locator(byTestId('token-text')).waitFor({ timeout: RENDER_MS });
  });
}

/** Reads the text of the token that is shown, then closes the dialog. */
async function takeToken(page) {
  const dialog = page.locator(byTestId('token-dialog'));
  const token = await dialog.locator(byTestId('token-text')).innerText();
  await e2e.step('the text of the token is accessible', () => e2e.assertAccessible(page));
  await e2e.step('the text of the token is gone after the dialog', async () => {
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator(`${byTestId('token')}[data-token="${name}"]`).waitFor();
    const kept = await page.evaluate(() =>
      JSON.stringify([document.body.innerHTML, { ...localStorage }, { ...sessionStorage }]),
    );
    assert(!kept.includes(token), 'the page still has the token');
  });
  return token;
}

/** Checks a page in the dark and on the width of a phone. */
async function checkAppearances(page, subject, image) {
  await e2e.accessibilityStep(page, subject, `${image}.png`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-scheme="dark"]').waitFor();
  await e2e.accessibilityStep(page, `${subject} in the dark`, `${image}-dark.png`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('html[data-scheme="light"]').waitFor();
  const size = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 740 });
  await e2e.step(`${subject} fits a phone`, async () => {
    await assertFitsWindow(page);
    await e2e.assertAccessible(page);
  });
  await e2e.screenshot(page, `${image}-phone.png`);
  await page.setViewportSize(size);
}

await e2e.run('access', async (page) => {
  await createToken(page);
  const token = await takeToken(page);
  await checkAppearances(page, 'the list of tokens', 'tokens');

  await e2e.step('the token submits alerts of its type, and of no other', async () => {
    assert.equal(await submitWith(token), 202);
    assert.equal(await submitWith(token, 'kubernetes'), 403);
  });
  await e2e.step('the audit log has both, with the name of the token', async () => {
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('combobox', { name: 'User' }).fill(name);
    await page.keyboard.press('Enter');
    const entries = page.locator(`${byTestId('audit-entry')}[data-action="submit_alert"]`);
    // Entries are stored in the background.
    await page.getByRole('button', { name: 'Refresh' }).click();
    await entries.and(page.locator('[data-outcome="denied"]')).waitFor({ timeout: RENDER_MS });
    await entries.and(page.locator('[data-outcome="allowed"]')).waitFor();
    // Those of other principals go when the filter's answer is there.
    await page.waitForFunction(
      (entry) => document.querySelectorAll(entry).length === 2,
      byTestId('audit-entry'),
      { timeout: RENDER_MS },
    );
    assert(new URL(page.url()).searchParams.get('who') === name);
  });
  await checkAppearances(page, 'the audit log', 'audit-log');

  await e2e.step('a phone reaches the tokens through the menu', async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'API tokens' }).click();
    await page.waitForURL(/\/tokens$/);
    await page.setViewportSize(size);
  });
  await e2e.step('a revoked token is refused', async () => {
    await page.getByRole('button', { name: `Revoke ${name}` }).click();
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.locator(byTestId('revocation-notice')).waitFor();
    await page.locator(`${byTestId('token')}[data-token="${name}"]`).waitFor({ state: 'detached' });
    const isRefused = async () => (await submitWith(token)) === 401;
    await e2e.eventually('the token is refused', isRefused, REVOCATION_MS);
  });
  await e2e.step('the audit log has the creation and the revocation', async () => {
    await page.goto(`${e2e.url}/audit-log?action=revoke_token`, { timeout: RENDER_MS });
    await page.locator(byTestId('audit-entry')).first().waitFor({ timeout: RENDER_MS });
    await page.goto(`${e2e.url}/audit-log?action=create_token`, { timeout: RENDER_MS });
    await page.locator(byTestId('audit-entry')).first().waitFor({ timeout: RENDER_MS });
  });
});
