/**
 * What bounds an investigation, in a real browser: the budget that is used up, and the provider that
 * cannot be used.
 *
 * TARSY_FRUGAL  a type whose chain has a budget of tool calls that its agent uses up (default frugal)
 * TARSY_SPARE   a type whose first provider cannot be used (default spare); more settings are named in
 *               kit.mjs
 */
import process from 'node:process';
import {
  accessible,
  byTest,
  demand,
  investigated,
  picture,
  run,
  step,
  VISIBLE_MS,
} from './kit.mjs';

const frugal = process.env.TARSY_FRUGAL ?? 'frugal';
const spare = process.env.TARSY_SPARE ?? 'spare';

function item(page, kind) {
  return page.locator(`${byTest('timeline-item')}[data-event-type="${kind}"]`);
}

async function limits(page) {
  await step('a session with a small budget completes', () =>
    investigated(page, frugal, 'The disk is full'),
  );
  await step('the meter of tool calls is full, the others are not', async () => {
    const meters = page.locator(`${byTest('budget')} [role="meter"]`);
    await meters.first().waitFor({ timeout: VISIBLE_MS });
    const full = page.getByRole('meter', { name: 'Tool calls' });
    demand((await full.getAttribute('data-tone')) === 'error', 'the full meter is not marked');
    const [now, most] = await full.evaluate((one) => [one.ariaValueNow, one.ariaValueMax]);
    demand(now === most, `the meter shows ${now} of ${most}`);
    const words = await page.locator(byTest('budget')).innerText();
    demand(words.match(/used up/g)?.length === 1, words);
    const others = await page.locator('[role="meter"][data-tone="success"]').count();
    demand(others === 2, `${others} other meters have room`);
  });
  await step('the timeline says which budget was reached', async () => {
    const title = await item(page, 'budget_reached').first().innerText();
    demand(/^Budget reached: tool calls \(\d+ of \d+\)/.test(title), title);
    demand(title.includes('is used up'), title);
    return title.split('\n')[0];
  });
  await step('the page is accessible', () => accessible(page));
  await picture(page, 'budget.png');

  await step('a session whose provider cannot be used completes', () =>
    investigated(page, spare, 'The first refuses'),
  );
  await step('the timeline shows the failure, and who took over', async () => {
    const kinds = await page
      .locator(byTest('timeline-item'))
      .evaluateAll((all) => all.map((one) => one.dataset.eventType));
    const at = kinds.indexOf('provider_fallback');
    demand(at > kinds.indexOf('error') && kinds.includes('error'), kinds.join(', '));
    const title = await item(page, 'provider_fallback').innerText();
    demand(/^Provider switched: \S+ → \S+/.test(title), title);
    return title.split('\n')[0];
  });
  await step('the agent shows both providers', async () => {
    const facts = await page.locator(byTest('agent-facts')).first().innerText();
    demand(/\S+ → \S+/.test(facts), facts);
    return facts;
  });
  await step('the page of the switch is accessible', () => accessible(page));
  await picture(page, 'fallback.png');
}

await run('limits', limits);
