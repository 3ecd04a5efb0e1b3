/**
 * What a call shows beside its result, in a real browser: how far it is, that secrets were taken out,
 * that the policy refused it. And the banner that tells of a tool server that cannot be used.
 *
 * TARSY_ALERT_TYPE  a type whose agent makes a call that tells its progress, and one that is refused
 * TARSY_PROGRESS    what the first one says (default "reading look disk")
 * TARSY_BROKEN      the server that cannot be used (default broken); more settings are named in kit.mjs
 */
import process from 'node:process';
import * as kit from './kit.mjs';

const progress = process.env.TARSY_PROGRESS ?? 'reading look disk';
const broken = process.env.TARSY_BROKEN ?? 'broken';

async function warnings(page) {
  const banner = page.locator(kit.byTest('warning-banner'));
  await kit.step('a banner tells of the server that cannot be used', async () => {
    await page.goto(`${kit.url}/`, { timeout: kit.VISIBLE_MS });
    await banner.filter({ hasText: broken }).waitFor({ timeout: kit.patience });
  });
  await kit.step('the page with the banner is accessible', () => kit.accessible(page));
  await kit.picture(page, 'warning.png', false);
  await kit.step('its link leads to the system page, which has the warning itself', async () => {
    await banner.getByRole('link', { name: 'See the system page' }).click();
    const told = page.locator(kit.byTest('warnings')).filter({ hasText: broken });
    await told.waitFor({ timeout: kit.VISIBLE_MS });
    kit.demand((await banner.count()) === 0, 'the banner repeats what the page says');
  });
  await kit.step('it can be hidden', async () => {
    await page.goBack();
    await banner.getByRole('button', { name: 'Hide' }).click({ timeout: kit.VISIBLE_MS });
    await banner.waitFor({ state: 'detached' });
  });
}

async function calls(page) {
  await kit.step('an alert is submitted', () =>
    kit.submitAlert(page, kit.alertType, 'The ledger is full'),
  );
  await kit.step('a running call says how far it is', async () => {
    const note = page.locator(kit.byTest('tool-progress')).filter({ hasText: progress });
    await note.waitFor({ timeout: kit.patience });
    return note.innerText();
  });
  await kit.picture(page, 'progress.png', false);
  await kit.step('the session completes', () => kit.endsAs(page, 'completed'));
  const cards = page
    .locator(kit.byTest('timeline-item'))
    .filter({ has: page.locator(kit.byTest('tool-card')) });
  await kit.step('the refused call says so, and why', async () => {
    const refused = cards.filter({ has: page.locator(kit.byTest('refused-mark')) });
    kit.demand(
      (await refused.count()) === 1,
      `${await refused.count()} calls are marked as refused`,
    );
    const words = await refused.innerText();
    kit.demand(words.includes('Refused by policy') && words.includes('was not called'), words);
    kit.demand(
      (await refused.locator(kit.byTest('masked-mark')).count()) === 0,
      'it is marked as masked',
    );
  });
  await kit.step('the other one says what was masked, and no secret is on the page', async () => {
    const masked = cards.filter({ has: page.locator(kit.byTest('masked-mark')) });
    kit.demand((await masked.count()) === 1, `${await masked.count()} calls are marked as masked`);
    const words = await masked.innerText();
    kit.demand(/Masked: \d+/.test(words) && words.includes('[MASKED'), words);
    const all = await page.locator('body').innerText();
    kit.demand(!all.includes('sk-planted'), 'the planted secret is on the page');
    kit.demand(
      (await page.locator(kit.byTest('tool-progress')).count()) === 0,
      'a call is still open',
    );
  });
  await kit.step('the page is accessible', () => kit.accessible(page));
  await kit.picture(page, 'marks.png');
}

async function marks(page) {
  await warnings(page);
  await calls(page);
}

await kit.run('marks', marks);
