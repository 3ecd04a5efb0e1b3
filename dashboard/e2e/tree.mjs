/**
 * An agent that dispatches two others: parent and children side by side, live, their tasks and results, and by keyboard on
 * a narrow screen.
 *
 * TARSY_ALERT_TYPE needs a chain whose agent dispatches two others, which write a long text.
 */
import assert from 'node:assert/strict';
import { assertFitsWindow } from './fitting.mjs';
import * as e2e from './harness.mjs';

const { byTestId } = e2e;
const lane = byTestId('agent-lane');
const dispatched = `${lane} ${byTestId('dispatched')}`;

async function watchTree(page) {
  await e2e.step('parent and children are side by side, and the children write', async () => {
    await page.waitForFunction(
      (selector) => {
        const [parent, ...children] = document.querySelectorAll(selector);
        // Its text may come before the detail of the session, which has its name.
        const writes = (element) =>
          element.querySelector('[data-testid="streaming-text"]') !== null &&
          element.getAttribute('aria-label').startsWith('↳');
        return parent !== undefined && children.length === 2 && children.every(writes);
      },
      lane,
      { timeout: e2e.INVESTIGATION_MS, polling: 50 },
    );
    const names = await page
      .locator(lane)
      .evaluateAll((all) => all.map((element) => element.getAttribute('aria-label')));
    assert(!names[0].startsWith('↳'), `the first column is ${names[0]}`);
    const tops = await page
      .locator(lane)
      .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().top));
    assert(Math.max(...tops) - Math.min(...tops) < 2, 'the columns start at different heights');
  });
  await e2e.step('each dispatch has its task, and no result yet', async () => {
    await page.locator(dispatched).nth(1).waitFor();
    const texts = await page.locator(dispatched).allInnerTexts();
    for (const part of ['disk', 'memory']) {
      const own = texts.find((text) => text.includes(`Look at the ${part}.`));
      assert(own?.includes('No result yet'), `the dispatch of ${part}: ${texts}`);
    }
    const tasks = await page.locator(`${lane} ${byTestId('agent-task')}`).allInnerTexts();
    assert(tasks.length === 2, `tasks: ${tasks}`);
  });
  await e2e.screenshotView(page, 'tree-live.png');
}

async function checkResults(page) {
  await e2e.step('each dispatch says when its result came back', async () => {
    await page.waitForFunction(
      (selector) => {
        const texts = [...document.querySelectorAll(selector)].map((one) => one.textContent);
        return texts.length === 2 && texts.every((text) => /Result at .*\d/.test(text));
      },
      dispatched,
      { timeout: e2e.RENDER_MS },
    );
  });
  await e2e.step('the stage counts one agent', async () => {
    const count = await page.locator(byTestId('agent-count')).first().innerText();
    assert(count === '1 agent', count);
  });
  await e2e.accessibilityStep(page, 'the page with a tree of agents', 'tree.png');
}

async function checkKeyboard(page) {
  await e2e.step('on a narrow screen each agent is reached by keyboard', async () => {
    await page.setViewportSize({ width: 480, height: 800 });
    const tabs = page.locator(byTestId('agent-tab'));
    await tabs.nth(2).waitFor({ timeout: e2e.RENDER_MS });
    await tabs.nth(0).focus();
    for (const index of [1, 2]) {
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      const selected = `${byTestId('agent-tab')}[aria-selected="true"]`;
      await page.waitForFunction(
        ({ selector, at }) => document.querySelectorAll(selector)[at]?.ariaSelected === 'true',
        { selector: byTestId('agent-tab'), at: index },
      );
      const name = await page.locator(selected).innerText();
      assert(name.startsWith('↳'), `tab ${index + 1} is ${name}`);
      const task = await page.locator(`${lane} ${byTestId('agent-task')}`).innerText();
      assert(/Look at the (?:disk|memory)\./.test(task), `its task is ${task}`);
    }
    await assertFitsWindow(page);
  });
}

await e2e.run('tree', async (page) => {
  await page.setViewportSize({ width: 1900, height: 1000 });
  await e2e.step('an alert is submitted', async () => {
    await e2e.pauseModel();
    return e2e.submitAlert(page, e2e.alertType, 'The disk is full');
  });
  await watchTree(page);
  await e2e.resumeModel();
  await e2e.step('the session completes', () => e2e.assertSessionEnds(page, 'completed'));
  await checkResults(page);
  await checkKeyboard(page);
});
