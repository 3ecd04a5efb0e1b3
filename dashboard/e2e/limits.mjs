/**
 * The limits of an investigation: a budget that is reached and a provider that fails.
 *
 * TARSY_FRUGAL  alert type of a chain whose agent reaches its budget of tool calls (default frugal)
 * TARSY_SPARE   alert type of a chain whose first provider fails (default spare)
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, timelineItem } = e2e;
const frugal = e2e.setting('TARSY_FRUGAL', 'frugal');
const spare = e2e.setting('TARSY_SPARE', 'spare');

const itemOf = (page, eventType) => page.locator(`${timelineItem}[data-event-type="${eventType}"]`);

async function checkBudgetPanel(page) {
  const panel = page.locator(byTestId('budget'));
  await panel.locator('[role="meter"][data-tone="error"]').waitFor({ timeout: e2e.RENDER_MS });
  await panel.filter({ hasText: 'limit reached' }).waitFor();
  const toolCalls = page.getByRole('meter', { name: 'Tool calls' });
  const tone = await toolCalls.getAttribute('data-tone');
  assert(tone === 'error', `the usage of tool calls is shown as ${tone}`);
  const [used, limit] = await toolCalls.evaluate((bar) => [bar.ariaValueNow, bar.ariaValueMax]);
  assert(used === limit, `the usage is ${used} of ${limit}`);
  const text = await panel.innerText();
  assert(text.match(/limit reached/g)?.length === 1, text);
  const others = await page.locator('[role="meter"][data-tone="success"]').count();
  assert(others === 2, `${others} other limits are not reached`);
}

async function checkBudget(page) {
  await e2e.step('a session with a small budget completes', () =>
    e2e.completeSession(page, frugal, 'The disk is full'),
  );
  await e2e.step('the limit of tool calls is reached, the others are not', () =>
    checkBudgetPanel(page),
  );
  await e2e.step('the timeline shows which limit was reached', async () => {
    const item = await itemOf(page, 'budget_reached').first().innerText();
    assert.match(item, /^Budget reached: tool calls \(\d+ of \d+\)/);
    assert.match(item, /is used up/);
    return item.split('\n')[0];
  });
  await e2e.accessibilityStep(page, 'the session page', 'budget.png');
}

async function checkFallback(page) {
  await e2e.step('a session whose first provider fails completes', () =>
    e2e.completeSession(page, spare, 'The first refuses'),
  );
  await e2e.step('the timeline shows the error and then the fallback', async () => {
    await itemOf(page, 'error').first().waitFor();
    await itemOf(page, 'provider_fallback').waitFor();
    const eventTypes = await page
      .locator(timelineItem)
      .evaluateAll((all) => all.map(({ dataset }) => dataset.eventType));
    const error = eventTypes.indexOf('error');
    assert(error >= 0 && error < eventTypes.indexOf('provider_fallback'), eventTypes.join(', '));
    const item = await itemOf(page, 'provider_fallback').innerText();
    assert.match(item, /^Provider fallback: \S+ → \S+/);
    return item.split('\n')[0];
  });
  await e2e.step('the agent shows both providers', async () => {
    const facts = page.locator(byTestId('agent-facts')).filter({ hasText: /\S+ → \S+/ });
    await facts.first().waitFor();
    return facts.first().innerText();
  });
  await e2e.accessibilityStep(page, 'the page with the fallback', 'fallback.png');
  await e2e.step('the waterfall marks the failed call, its retry and the fallback', async () => {
    await page.goto(`${page.url()}/trace?view=waterfall`, { timeout: e2e.RENDER_MS });
    const calls = page.locator(`${byTestId('waterfall-row')}[data-kind="llm"]`);
    await calls.first().waitFor({ timeout: e2e.RENDER_MS });
    const [failed, retried] = await calls.evaluateAll((all) =>
      all.map(({ dataset, innerText }) => ({ failed: dataset.failed, text: innerText })),
    );
    assert(failed.failed === 'true' && failed.text.includes('Turn 1: '), failed.text);
    assert(retried.failed === 'false' && retried.text.includes('Turn 1: '), retried.text);
    assert.match(retried.text, /retry · fallback to \S+/);
    return retried.text.replaceAll('\n', ' ');
  });
}

await e2e.run('limits', async (page) => {
  await checkBudget(page);
  await checkFallback(page);
});
