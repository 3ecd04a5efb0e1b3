/**
 * What a call shows beside its result, in a real browser: how far it is, that secrets were taken out,
 * that the policy refused it. The trace of all calls. And the banner that tells of a tool server that
 * cannot be used.
 *
 * TARSY_ALERT_TYPE  a type whose agent makes a call that tells its progress, and one that is refused
 * TARSY_PROGRESS    what the first one says (default "reading look disk")
 * TARSY_CALL_END    a file that ends the first one when it is written; without it the call ends by itself
 * TARSY_BROKEN      the server that cannot be used (default broken); more settings are named in kit.mjs
 */
import { writeFile } from 'node:fs/promises';
import process from 'node:process';
import * as kit from './kit.mjs';

const progress = process.env.TARSY_PROGRESS ?? 'reading look disk';
const callEnd = process.env.TARSY_CALL_END;
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
    await banner.waitFor({ state: 'detached' });
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
  if (callEnd) await writeFile(callEnd, '');
  await kit.step('the session completes', () => kit.endsAs(page, 'completed'));
  const cards = page
    .locator(kit.byTest('timeline-item'))
    .filter({ has: page.locator(kit.byTest('tool-card')) });
  await kit.step('the refused call says so, and why', async () => {
    const refused = cards.filter({ has: page.locator(kit.byTest('refused-mark')) });
    await refused.first().waitFor();
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
    await masked.first().waitFor();
    kit.demand((await masked.count()) === 1, `${await masked.count()} calls are marked as masked`);
    const words = await masked.innerText();
    kit.demand(/Masked: \d+/.test(words) && words.includes('[MASKED'), words);
    const all = await page.locator('body').innerText();
    kit.demand(!all.includes('sk-planted'), 'the planted secret is on the page');
    await page.locator(kit.byTest('tool-progress')).first().waitFor({ state: 'detached' });
  });
  await kit.step('the page is accessible', () => kit.accessible(page));
  await kit.picture(page, 'marks.png');
}

/** All calls of the session, as they were recorded. */
async function trace(page) {
  const row = page.locator(kit.byTest('trace-row'));
  const open = (one) => one.locator('button[aria-expanded="false"]').first().click();
  await kit.step('the trace has the calls of models and tools', async () => {
    await page.locator(kit.byTest('to-trace')).click();
    await row.first().waitFor();
    for (const kind of ['llm', 'tool_call', 'tool_list']) {
      await page
        .locator(`${kit.byTest('trace-row')}[data-kind="${kind}"]`)
        .first()
        .waitFor();
    }
    return page.locator(kit.byTest('trace-totals')).innerText();
  });
  await kit.step('a call of a model has its whole conversation', async () => {
    const call = page.locator(`${kit.byTest('trace-row')}[data-kind="llm"]`).first();
    await open(call);
    await call.locator(kit.byTest('llm-detail')).waitFor();
    const last = call.locator(kit.byTest('trace-message')).last();
    const role = await last.getAttribute('data-role');
    kit.demand(role === 'assistant', `the last one to speak is the ${role}`);
  });
  await kit.step('a listing names the tools, a call of a tool has its result', async () => {
    const listing = page.locator(`${kit.byTest('trace-row')}[data-kind="tool_list"]`).first();
    await open(listing);
    await listing.locator(kit.byTest('offered-tools')).filter({ hasText: 'look' }).waitFor();
    const call = page.locator(`${kit.byTest('trace-row')}[data-kind="tool_call"]`);
    const made = call.filter({ hasNot: page.locator(kit.byTest('refused-mark')) }).first();
    await open(made);
    await made.locator(kit.byTest('mcp-detail')).filter({ hasText: '[MASKED' }).waitFor();
  });
  await kit.step('the trace is accessible', () => kit.accessible(page));
  await kit.picture(page, 'trace.png');
  await kit.step('shown alone, what failed is the call that was refused', async () => {
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await page
      .locator(`${kit.byTest('trace-row')}[data-failed="false"]`)
      .first()
      .waitFor({ state: 'detached' });
    await row.filter({ has: page.locator(kit.byTest('refused-mark')) }).waitFor();
  });
}

async function marks(page) {
  await warnings(page);
  await calls(page);
  await trace(page);
}

await kit.run('marks', marks);
