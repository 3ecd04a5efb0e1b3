/**
 * Two agents that work at once, in a real browser: each in a column of its own, joined by the
 * synthesis, behind tabs in a narrow window; what they cite leads to the call.
 *
 * TARSY_ALERT_TYPE  a type whose chain has two agents that call a tool and cite it; more settings
 *                   are named in kit.mjs
 */
import * as kit from './kit.mjs';

const lane = kit.byTest('agent-lane');

async function teamwork(page) {
  await kit.step('an alert for a team is submitted', async () => {
    await kit.hold();
    return kit.submitAlert(page, kit.alertType, 'The disk is full');
  });
  await kit.step('two agents work side by side', async () => {
    await page.locator(lane).nth(1).waitFor({ timeout: kit.patience });
    const boxes = await page.locator(lane).evaluateAll((all) =>
      all.map((one) => {
        const { left, right, top } = one.getBoundingClientRect();
        return { left, right, top };
      }),
    );
    kit.demand(boxes.length === 2, `there are ${boxes.length} columns`);
    kit.demand(Math.abs(boxes[0].top - boxes[1].top) < 2, 'the columns do not begin at one height');
    kit.demand(boxes[0].right <= boxes[1].left, 'the columns overlap');
  });
  await kit.step('both are seen to write before either is done', async () => {
    await page.waitForFunction(
      (selector) => {
        const lanes = [...document.querySelectorAll(selector)];
        const writes = (one) => one.querySelector('[data-testid="streaming-text"]') !== null;
        return lanes.length === 2 && lanes.every(writes);
      },
      lane,
      { timeout: kit.patience, polling: 50 },
    );
  });
  await kit.picture(page, 'team-live.png', false);
  await kit.release();
  await kit.step('the session completes', () => kit.endsAs(page, 'completed'));
  await kit.step('each column has its agent, its call and its words', async () => {
    for (const index of [0, 1]) {
      const one = page.locator(lane).nth(index);
      await one.locator(`${kit.byTest('agent-status')}[data-status="completed"]`).waitFor();
      const calls = await one.locator(kit.byTest('tool-card')).count();
      kit.demand(calls === 1, `column ${index + 1} has ${calls} calls`);
      const said = await one.locator('[data-event-type="llm_response"]').innerText();
      kit.demand(said.includes('disk is full'), `column ${index + 1} says: ${said}`);
    }
  });
  await kit.step('the synthesis joins them', async () => {
    const sign = await page.locator(kit.byTest('synthesis-join')).innerText();
    kit.demand(sign.includes('2 agents'), sign);
  });
  await kit.step('the page is accessible', () => kit.accessible(page));
  await page.evaluate(() => window.scrollTo(0, 0));
  await kit.picture(page, 'team.png');

  await kit.step('a citation leads to its call by keyboard, and back', async () => {
    const link = page.locator(`${lane} ${kit.byTest('citation')}`).last();
    const number = await link.getAttribute('data-call');
    await link.focus();
    await page.keyboard.press('Enter');
    const card = `${kit.byTest('tool-card')}[data-call="${number}"]`;
    await page.waitForFunction((selector) => {
      const one = document.querySelector(selector);
      const { top = 0, bottom = 0 } = one?.getBoundingClientRect() ?? {};
      return one && document.activeElement === one && bottom > 0 && top < window.innerHeight;
    }, card);
    const hash = await page.evaluate(() => window.location.hash);
    kit.demand(hash === `#call-${number}`, `the address ends in ${hash}`);
    await page.locator(card).locator(kit.byTest('call-back')).click();
    await page.waitForFunction((one) => document.activeElement === one, await link.elementHandle());
    return `call ${number}`;
  });
  await kit.step('an unknown number is no link', async () => {
    const said = page.locator(`${lane} [data-event-type="llm_response"]`).first();
    kit.demand((await said.innerText()).includes('[call 99]'), 'the text lost its citation');
    kit.demand((await said.locator('[data-call="99"]').count()) === 0, 'call 99 is a link');
  });

  await kit.step('in a narrow window the agents stand behind tabs', async () => {
    await page.setViewportSize({ width: 480, height: 800 });
    const tabs = page.locator(kit.byTest('agent-tab'));
    await tabs.nth(1).waitFor({ timeout: kit.VISIBLE_MS });
    kit.demand((await page.locator(lane).count()) === 1, 'more than one agent is shown');
    await tabs.nth(0).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.locator(`${kit.byTest('agent-tab')}[aria-selected="true"]`).waitFor();
    kit.demand(
      (await tabs.nth(1).getAttribute('aria-selected')) === 'true',
      'the tab is not chosen',
    );
    await page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth + 1);
  });
  await kit.step('the narrow page is accessible', () => kit.accessible(page));
  await kit.picture(page, 'team-narrow.png', false);
}

await kit.run('teamwork', teamwork);
