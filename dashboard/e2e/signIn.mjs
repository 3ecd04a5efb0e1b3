/**
 * Signing in with OpenID Connect, a sign-in that ends in the middle of a stream, and signing out.
 *
 * TARSY_ALERT_TYPE needs a chain whose model streams slowly; the issuer shows a link for the user rosa, whose
 * sign-in ends within a minute.
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, INVESTIGATION_MS, url } = e2e;
const banner = byTestId('sign-in-banner');
const streaming = byTestId('streaming-text');
/** Milliseconds until the sign-in has ended. */
const LIFETIME_MS = 90_000;

async function signIn(page) {
  await e2e.step('a page asks who is not signed in to sign in', async () => {
    await page.goto(`${url}/system`, { timeout: e2e.RENDER_MS });
    await page.locator(byTestId('sign-in-page')).waitFor();
  });
  await e2e.inEachAppearance(page, (name) =>
    e2e.accessibilityStep(page, `the sign-in page, ${name},`, `sign-in-${name}.png`),
  );
  await e2e.step('signing in at the issuer returns to the page', async () => {
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.locator('#rosa').click();
    await page.waitForURL(`${url}/system`);
    const user = await page.locator(byTestId('user-name')).textContent();
    assert.equal(user, 'rosa@example.org · responder');
  });
  await e2e.step('the cookie cannot be read by scripts', async () => {
    const cookies = await page.context().cookies();
    const cookie = cookies.find(({ name }) => name === 'tarsy_sign_in');
    assert(cookie?.httpOnly && cookie.sameSite === 'Lax', JSON.stringify(cookies));
    assert(!(await page.evaluate(() => document.cookie)).includes('tarsy'));
  });
}

/** The scroll position and the length of the streaming text. */
const position = (page) =>
  page.evaluate(
    (selector) => ({
      top: window.scrollY,
      length: document.querySelector(selector)?.textContent?.length ?? 0,
    }),
    streaming,
  );

async function continueAfterTheEnd(page) {
  const before = await position(page);
  await e2e.step('the page stays when the sign-in ends in the middle of a stream', async () => {
    await page.locator(banner).waitFor({ timeout: LIFETIME_MS });
    const after = await position(page);
    assert(after.length >= before.length && after.length > 0, 'the streaming text is gone');
    assert.equal(await page.locator(byTestId('disconnected-banner')).count(), 0);
  });
  await e2e.accessibilityStep(page, 'the page whose sign-in ended', 'sign-in-ended.png', {
    fullPage: false,
  });
  await e2e.step('a small window signs in again and closes itself', async () => {
    const opened = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Sign in again' }).click();
    const popup = await opened;
    const closed = popup.waitForEvent('close');
    await popup.locator('#rosa').click();
    await closed;
  });
  await e2e.step('the same page goes on to stream', async () => {
    await page.locator(banner).waitFor({ state: 'detached' });
    const length = (await position(page)).length;
    await page.waitForFunction(
      ([selector, least]) => (document.querySelector(selector)?.textContent?.length ?? 0) > least,
      [streaming, length],
      { timeout: INVESTIGATION_MS },
    );
  });
}

await e2e.run('signIn', async (page) => {
  await signIn(page);
  await e2e.step('a session is running', async () => {
    await e2e.pauseModel();
    await e2e.submitAlert(page, e2e.alertType, 'The disk is full');
    await page.locator(streaming).first().waitFor({ timeout: INVESTIGATION_MS });
  });
  await continueAfterTheEnd(page);
  await e2e.step('the session completes on the page', async () => {
    await e2e.resumeModel();
    await e2e.assertSessionEnds(page, 'completed');
  });
  await e2e.step('signing out ends at the sign-in page, also for the session', async () => {
    const session = page.url();
    await page.locator(byTestId('user-menu')).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(`${url}/sign-in`);
    await page.locator(byTestId('sign-in-page')).waitFor();
    await page.goto(session);
    await page.locator(byTestId('sign-in-page')).waitFor();
  });
});
