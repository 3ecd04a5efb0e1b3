/**
 * What bounds an investigation, in a real browser: the budget that is used up, and the provider that
 * cannot be used.
 *
 * TARSY_FRUGAL  a type whose chain has a budget of tool calls that its agent uses up (default frugal)
 * TARSY_SPARE   a type whose first provider cannot be used (default spare); more settings are named in
 *               kit.mjs
 */
import process from 'node:process';
import * as kit from './kit.mjs';

const frugal = process.env.TARSY_FRUGAL ?? 'frugal';
const spare = process.env.TARSY_SPARE ?? 'spare';

function item(page, kind) {
  return page.locator(`${kit.byTest('timeline-item')}[data-event-type="${kind}"]`);
}

async function limits(page) {
  await kit.step('a session with a small budget completes', () =>
    kit.investigated(page, frugal, 'The disk is full'),
  );
  await kit.step('the meter of tool calls is full, the others are not', async () => {
    await page
      .locator(`${kit.byTest('budget')} [role="meter"][data-tone="error"]`)
      .waitFor({ timeout: kit.VISIBLE_MS });
    await page.locator(kit.byTest('budget')).filter({ hasText: 'used up' }).waitFor();
    const full = page.getByRole('meter', { name: 'Tool calls' });
    const tone = await full.getAttribute('data-tone');
    kit.demand(tone === 'error', `the meter of tool calls is shown as ${tone}`);
    const [now, most] = await full.evaluate((one) => [one.ariaValueNow, one.ariaValueMax]);
    kit.demand(now === most, `the meter shows ${now} of ${most}`);
    const words = await page.locator(kit.byTest('budget')).innerText();
    kit.demand(words.match(/used up/g)?.length === 1, words);
    const others = await page.locator('[role="meter"][data-tone="success"]').count();
    kit.demand(others === 2, `${others} other meters have room`);
  });
  await kit.step('the timeline says which budget was reached', async () => {
    const title = await item(page, 'budget_reached').first().innerText();
    kit.demand(/^Budget reached: tool calls \(\d+ of \d+\)/.test(title), title);
    kit.demand(title.includes('is used up'), title);
    return title.split('\n')[0];
  });
  await kit.step('the page is accessible', () => kit.accessible(page));
  await kit.picture(page, 'budget.png');

  await kit.step('a session whose provider cannot be used completes', () =>
    kit.investigated(page, spare, 'The first refuses'),
  );
  await kit.step('the timeline shows the failure, and who took over', async () => {
    await item(page, 'error').first().waitFor();
    await item(page, 'provider_fallback').waitFor();
    const kinds = await page
      .locator(kit.byTest('timeline-item'))
      .evaluateAll((all) => all.map((one) => one.dataset.eventType));
    const at = kinds.indexOf('provider_fallback');
    kit.demand(at > kinds.indexOf('error') && kinds.includes('error'), kinds.join(', '));
    const title = await item(page, 'provider_fallback').innerText();
    kit.demand(/^Provider switched: \S+ → \S+/.test(title), title);
    return title.split('\n')[0];
  });
  await kit.step('the agent shows both providers', async () => {
    const facts = page.locator(kit.byTest('agent-facts')).filter({ hasText: /\S+ → \S+/ });
    await facts.first().waitFor();
    return facts.first().innerText();
  });
  await kit.step('the page of the switch is accessible', () => kit.accessible(page));
  await kit.picture(page, 'fallback.png');
}

await kit.run('limits', limits);
