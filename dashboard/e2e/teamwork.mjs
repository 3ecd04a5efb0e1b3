/**
 * Two agents that work at once, in a real browser: each in a column of its own, joined by the
 * synthesis, behind tabs in a narrow window; what they cite leads to the call.
 *
 * TARSY_ALERT_TYPE  a type whose chain has two agents that call a tool and cite it; more settings
 *                   are named in kit.mjs
 */
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
  VISIBLE_MS,
} from './kit.mjs';

const lane = byTest('agent-lane');

async function teamwork(page) {
  await step('an alert for a team is submitted', () =>
    submitAlert(page, alertType, 'The disk is full'),
  );
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
  await step('the session completes', () => endsAs(page, 'completed'));
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

  await step('a citation leads to its call by keyboard, and back', async () => {
    const link = page.locator(`${lane} ${byTest('citation')}`).last();
    const number = await link.getAttribute('data-call');
    await link.focus();
    await page.keyboard.press('Enter');
    const card = page.locator(`${byTest('tool-card')}[data-call="${number}"]`);
    const reached = await card.evaluate((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return document.activeElement === one && bottom > 0 && top < window.innerHeight;
    });
    demand(reached, `call ${number} has no focus or is out of sight`);
    demand(page.url().endsWith(`#call-${number}`), page.url());
    await card.locator(byTest('call-back')).click();
    const back = await link.evaluate((one) => document.activeElement === one);
    demand(back, 'the way back does not lead to the citation');
    return `call ${number}`;
  });
  await step('an unknown number is no link', async () => {
    const said = page.locator(`${lane} [data-event-type="llm_response"]`).first();
    demand((await said.innerText()).includes('[call 99]'), 'the text lost its citation');
    demand((await said.locator('[data-call="99"]').count()) === 0, 'call 99 is a link');
  });

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
