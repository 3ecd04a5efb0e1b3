/**
 * Two agents that work at once, in a real browser: each in a column of its own, joined by the
 * synthesis, behind tabs in a narrow window.
 *
 * TARSY_ALERT_TYPE  a type whose chain has two agents that call a tool; more settings are named in
 *                   kit.mjs
 */
import process from 'node:process';
import {
  accessible,
  byTest,
  demand,
  patience,
  picture,
  run,
  sessionEnds,
  step,
  submitAlert,
  VISIBLE_MS,
} from './kit.mjs';

const type = process.env.TARSY_ALERT_TYPE ?? 'team';
const lane = byTest('agent-lane');

async function teamwork(page) {
  await step('an alert for a team is submitted', () => submitAlert(page, type, 'The disk is full'));
  await step('two agents work side by side', async () => {
    await page.locator(lane).nth(1).waitFor({ timeout: patience });
    const boxes = await page.locator(lane).evaluateAll((all) =>
      all.map((one) => {
        const { left, right, top } = one.getBoundingClientRect();
        return { left, right, top };
      }),
    );
    demand(boxes.length === 2, `there are ${boxes.length} columns`);
    demand(Math.abs(boxes[0].top - boxes[1].top) < 2, 'the columns do not begin at one height');
    demand(boxes[0].right <= boxes[1].left, 'the columns overlap');
  });
  await step('both are seen to write before either is done', async () => {
    await page.waitForFunction(
      (selector) =>
        [...document.querySelectorAll(selector)].every((one) =>
          one.querySelector('[data-testid="streaming-text"]'),
        ),
      lane,
      { timeout: patience, polling: 50 },
    );
  });
  await picture(page, 'team-live.png', false);
  await step('the session completes', async () => {
    const reached = await sessionEnds(page);
    demand(reached === 'completed', `the session ended as ${reached}`);
  });
  await step('each column has its agent, its call and its words', async () => {
    for (const index of [0, 1]) {
      const one = page.locator(lane).nth(index);
      await one.locator(`${byTest('agent-status')}[data-status="completed"]`).waitFor();
      const calls = await one.locator(byTest('tool-card')).count();
      demand(calls === 1, `column ${index + 1} has ${calls} calls`);
      const said = await one.locator('[data-event-type="llm_response"]').innerText();
      demand(said.includes('disk is full'), `column ${index + 1} says: ${said}`);
    }
  });
  await step('the synthesis joins them', async () => {
    const sign = await page.locator(byTest('synthesis-join')).innerText();
    demand(sign.includes('2 agents'), sign);
  });
  await step('the page is accessible', () => accessible(page));
  await page.evaluate(() => window.scrollTo(0, 0));
  await picture(page, 'team.png');

  await step('in a narrow window the agents stand behind tabs', async () => {
    await page.setViewportSize({ width: 480, height: 800 });
    const tabs = page.locator(byTest('agent-tab'));
    await tabs.nth(1).waitFor({ timeout: VISIBLE_MS });
    demand((await page.locator(lane).count()) === 1, 'more than one agent is shown');
    await tabs.nth(0).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    demand((await tabs.nth(1).getAttribute('aria-selected')) === 'true', 'the tab is not chosen');
    const wide = await page.evaluate(
      () => document.documentElement.scrollWidth > window.innerWidth + 1,
    );
    demand(!wide, 'the page scrolls sideways');
  });
  await step('the narrow page is accessible', () => accessible(page));
  await picture(page, 'team-narrow.png', false);
}

await run('teamwork', teamwork);
