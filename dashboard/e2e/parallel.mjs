/**
 * A stage with two parallel agents: columns, synthesis, citations, and tabs on a narrow screen.
 *
 * TARSY_ALERT_TYPE needs a chain with two agents that call a tool and cite the call.
 */
import assert from 'node:assert/strict';
import { assertFitsWindow } from './fitting.mjs';
import * as e2e from './harness.mjs';

const { byTestId } = e2e;
const lane = byTestId('agent-lane');
const responseIn = `${lane} [data-event-type="llm_response"]`;

async function watchAgents(page) {
  await e2e.step('two agents are shown in columns', async () => {
    await page.locator(lane).nth(1).waitFor({ timeout: e2e.INVESTIGATION_MS });
    const boxes = await page.locator(lane).evaluateAll((all) =>
      all.map((element) => {
        const { left, right, top } = element.getBoundingClientRect();
        return { left, right, top };
      }),
    );
    assert(boxes.length === 2, `there are ${boxes.length} columns`);
    assert(Math.abs(boxes[0].top - boxes[1].top) < 2, 'the columns start at different heights');
    assert(boxes[0].right <= boxes[1].left, 'the columns overlap');
  });
  await e2e.step('both stream at the same time', async () => {
    await page.waitForFunction(
      (selector) => {
        const lanes = [...document.querySelectorAll(selector)];
        const streams = (element) =>
          element.querySelector('[data-testid="streaming-text"]') !== null;
        return lanes.length === 2 && lanes.every(streams);
      },
      lane,
      { timeout: e2e.INVESTIGATION_MS, polling: 50 },
    );
  });
  await e2e.screenshotView(page, 'parallel-live.png');
}

async function checkResults(page) {
  await e2e.step('each column has its agent, its call and its response', async () => {
    for (const index of [0, 1]) {
      const column = page.locator(lane).nth(index);
      await column.locator(`${byTestId('agent-status')}[data-status="completed"]`).waitFor();
      const calls = await column.locator(byTestId('tool-card')).count();
      assert(calls === 1, `column ${index + 1} has ${calls} calls`);
      const response = await column.locator('[data-event-type="llm_response"]').innerText();
      assert(response.includes('disk is full'), `the response in column ${index + 1}: ${response}`);
    }
  });
  await e2e.step('the synthesis follows', async () => {
    const header = await page.locator(byTestId('synthesis-header')).innerText();
    assert(header.includes('2 agents'), header);
  });
  await e2e.accessibilityStep(page, 'the page', 'parallel.png');
}

async function checkWideScreen(page) {
  await e2e.step('a wide window gives the agents its width', async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 1900, height: 1000 });
    const main = page.locator('main');
    await page.waitForFunction(() => document.querySelector('main').clientWidth > 1700);
    await page.goto(`${e2e.url}/system`, { timeout: e2e.RENDER_MS });
    await page.locator(byTestId('service')).first().waitFor({ timeout: e2e.RENDER_MS });
    const width = await main.evaluate((element) => element.clientWidth);
    assert(width < 1400, `a page without agents is ${width} pixels wide`);
    await page.goBack();
    await page.locator(lane).nth(1).waitFor({ timeout: e2e.RENDER_MS });
    await page.setViewportSize(size);
  });
}

async function checkCitations(page) {
  await e2e.step('a citation opens its call by keyboard, which links back', async () => {
    const link = page.locator(`${lane} ${byTestId('citation')}`).last();
    const number = await link.getAttribute('data-call');
    await link.focus();
    await page.keyboard.press('Enter');
    const card = `${byTestId('tool-card')}[data-call="${number}"]`;
    await page.waitForFunction((selector) => {
      const element = document.querySelector(selector);
      const { top = 0, bottom = 0 } = element?.getBoundingClientRect() ?? {};
      const inView = bottom > 0 && top < window.innerHeight;
      return element && document.activeElement === element && inView;
    }, card);
    const hash = await page.evaluate(() => window.location.hash);
    assert(hash === `#call-${number}`, `the URL ends in ${hash}`);
    await page.locator(card).locator(byTestId('back-to-citation')).click();
    await page.waitForFunction(
      (element) => document.activeElement === element,
      await link.elementHandle(),
    );
    return `call ${number}`;
  });
  await e2e.step('a citation of an unknown call is not a link', async () => {
    const response = page.locator(responseIn).first();
    assert((await response.innerText()).includes('[call 99]'), 'the text lost its citation');
    assert((await response.locator('[data-call="99"]').count()) === 0, 'call 99 is a link');
  });
}

/** TARSy itself gives its agents different names; records of other versions may not have them. */
async function checkNames(page) {
  await e2e.step('agents with the same name are numbered', async () => {
    const path = `**/api/v1/sessions/${e2e.sessionIdOf(page)}`;
    await page.route(path, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      for (const { executions } of json.stages) {
        for (const execution of executions) execution.agent_name = 'Ledger';
      }
      await route.fulfill({ response, json });
    });
    await page.reload({ timeout: e2e.RENDER_MS });
    for (const index of [0, 1]) {
      const heading = page.locator(lane).nth(index).getByRole('heading').first();
      await heading.getByText(`Ledger #${index + 1}`, { exact: true }).waitFor();
    }
    await page.unroute(path);
  });
}

async function checkNarrowScreen(page) {
  await e2e.step('on a narrow screen the agents are in tabs', async () => {
    await page.setViewportSize({ width: 480, height: 800 });
    const tabs = page.locator(byTestId('agent-tab'));
    await tabs.nth(1).waitFor({ timeout: e2e.RENDER_MS });
    assert((await page.locator(lane).count()) === 1, 'more than one agent is shown');
    await tabs.nth(0).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.locator(`${byTestId('agent-tab')}[aria-selected="true"]`).waitFor();
    const selected = await tabs.nth(1).getAttribute('aria-selected');
    assert(selected === 'true', 'the second tab is not selected');
    await assertFitsWindow(page);
    // The list of tabs cuts off what is outside of a tab.
    const offset = await tabs.nth(1).evaluate((tab) => getComputedStyle(tab).outlineOffset);
    assert(parseFloat(offset) < 0, `the focus stands out by ${offset}`);
  });
  await e2e.accessibilityStep(page, 'the narrow page', 'parallel-narrow.png', { fullPage: false });
}

await e2e.run('parallel', async (page) => {
  await e2e.step('an alert is submitted', async () => {
    await e2e.pauseModel();
    return e2e.submitAlert(page, e2e.alertType, 'The disk is full');
  });
  await watchAgents(page);
  await e2e.resumeModel();
  await e2e.step('the session completes', () => e2e.assertSessionEnds(page, 'completed'));
  await checkResults(page);
  await checkWideScreen(page);
  await checkCitations(page);
  await checkNames(page);
  await checkNarrowScreen(page);
});
