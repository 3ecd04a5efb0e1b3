/**
 * What a call shows beside its result, in a real browser: how far it is, that secrets were taken out,
 * that the policy refused it. And the banner that tells of a tool server that cannot be used.
 *
 * TARSY_ALERT_TYPE  a type whose agent makes a call that tells its progress, and one that is refused
 * TARSY_PROGRESS    what the first one says (default "reading look disk")
 * TARSY_BROKEN      the server that cannot be used (default broken); more settings are named in kit.mjs
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
  url,
  VISIBLE_MS,
} from './kit.mjs';

const progress = process.env.TARSY_PROGRESS ?? 'reading look disk';
const broken = process.env.TARSY_BROKEN ?? 'broken';

async function warnings(page) {
  const banner = page.locator(byTest('warning-banner'));
  await step('a banner tells of the server that cannot be used', async () => {
    await page.goto(`${url}/`, { timeout: VISIBLE_MS });
    await banner.filter({ hasText: broken }).waitFor({ timeout: patience });
  });
  await step('the page with the banner is accessible', () => accessible(page));
  await picture(page, 'warning.png', false);
  await step('its link leads to the system page, which has the warning itself', async () => {
    await banner.getByRole('link', { name: 'See the system page' }).click();
    const told = page.locator(byTest('warnings')).filter({ hasText: broken });
    await told.waitFor({ timeout: VISIBLE_MS });
    demand((await banner.count()) === 0, 'the banner repeats what the page says');
  });
  await step('it can be hidden', async () => {
    await page.goBack();
    await banner.getByRole('button', { name: 'Hide' }).click({ timeout: VISIBLE_MS });
    await banner.waitFor({ state: 'detached' });
  });
}

async function calls(page) {
  await step('an alert is submitted', () => submitAlert(page, alertType, 'The ledger is full'));
  await step('a running call says how far it is', async () => {
    const note = page.locator(byTest('tool-progress')).filter({ hasText: progress });
    await note.waitFor({ timeout: patience });
    return note.innerText();
  });
  await picture(page, 'progress.png', false);
  await step('the session completes', () => endsAs(page, 'completed'));
  const cards = page
    .locator(byTest('timeline-item'))
    .filter({ has: page.locator(byTest('tool-card')) });
  await step('the refused call says so, and why', async () => {
    const refused = cards.filter({ has: page.locator(byTest('refused-mark')) });
    demand((await refused.count()) === 1, `${await refused.count()} calls are marked as refused`);
    const words = await refused.innerText();
    demand(words.includes('Refused by policy') && words.includes('was not called'), words);
    demand((await refused.locator(byTest('masked-mark')).count()) === 0, 'it is marked as masked');
  });
  await step('the other one says what was masked, and no secret is on the page', async () => {
    const masked = cards.filter({ has: page.locator(byTest('masked-mark')) });
    demand((await masked.count()) === 1, `${await masked.count()} calls are marked as masked`);
    const words = await masked.innerText();
    demand(/Masked: \d+/.test(words) && words.includes('[MASKED'), words);
    const all = await page.locator('body').innerText();
    demand(!all.includes('sk-planted'), 'the planted secret is on the page');
    demand((await page.locator(byTest('tool-progress')).count()) === 0, 'a call is still open');
  });
  await step('the page is accessible', () => accessible(page));
  await picture(page, 'marks.png');
}

async function marks(page) {
  await warnings(page);
  await calls(page);
}

await run('marks', marks);
