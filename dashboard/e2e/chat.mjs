/**
 * Chat about a finished session: suggested questions, a question that is shown at once, a streaming answer that stays in view, a
 * second question, and an answer that is stopped.
 *
 * TARSY_ALERT_TYPE needs a chain with chat, whose findings have a claim that no result shows.
 */
import assert from 'node:assert/strict';
import { assertFitsWindow } from './fitting.mjs';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS, INVESTIGATION_MS, timelineItem } = e2e;
const phone = e2e.appearances.find(({ name }) => name === 'phone');
let questions = 0;

async function ask(page, question) {
  await page.locator(byTestId('chat-question')).fill(question);
  await page.locator(byTestId('chat-send')).click();
  questions += 1;
  await page
    .locator(`${timelineItem}[data-event-type="user_question"]`)
    .filter({ hasText: question })
    .waitFor({ timeout: INVESTIGATION_MS });
}

/** Waits until all turns have ended, in the API and on the page. */
async function waitForTurns(page) {
  const allEnded = async () => {
    const { stages } = await e2e.send('GET', `/sessions/${e2e.sessionIdOf(page)}`);
    const turns = stages.filter(({ chat_id }) => chat_id);
    const open = turns.filter(({ status }) => status === 'pending' || status === 'active');
    return turns.length === questions && open.length === 0;
  };
  await e2e.eventually(`${questions} questions have ended`, allEnded, INVESTIGATION_MS);
  await page
    .locator(byTestId('chat-stop'))
    .waitFor({ state: 'detached', timeout: INVESTIGATION_MS });
}

/** Waits until a question has a complete answer below it. */
async function waitForAnswer(page, question) {
  await waitForTurns(page);
  await page.waitForFunction(
    ([selector, text]) => {
      const items = [...document.querySelectorAll(selector)];
      const start = items.findIndex(
        ({ dataset, textContent }) =>
          dataset.eventType === 'user_question' && textContent.includes(text),
      );
      const below = start < 0 ? [] : items.slice(start + 1).map(({ dataset }) => dataset);
      return below.some(
        ({ eventType, status }) => eventType === 'llm_response' && status === 'completed',
      );
    },
    [timelineItem, question],
    { timeout: INVESTIGATION_MS },
  );
}

/** Whether these parts of the panel are in view, inside of everything that scrolls. */
async function assertInView(parts) {
  for (const [name, part] of Object.entries(parts)) {
    const seen = await part.evaluate((element) => {
      let { top, bottom } = element.getBoundingClientRect();
      for (let box = element.parentElement; box; box = box.parentElement) {
        if (getComputedStyle(box).overflowY === 'visible') continue;
        const frame = box.getBoundingClientRect();
        [top, bottom] = [Math.max(top, frame.top), Math.min(bottom, frame.bottom)];
      }
      return Math.min(bottom, window.innerHeight) - Math.max(top, 0);
    });
    assert(seen > 10, `${seen} pixels of the ${name} are in view`);
  }
}

async function checkSuggestions(page) {
  await e2e.step(
    'open points are suggested as questions, to be changed before they are sent',
    async () => {
      const suggestions = page.locator(byTestId('chat-suggestions'));
      const first = suggestions.getByRole('button').first();
      const question = await first.innerText();
      await first.click();
      const field = page.locator(byTestId('chat-question'));
      assert.equal(await field.inputValue(), question);
      await suggestions.waitFor({ state: 'detached' });
      await field.fill('');
      await suggestions.waitFor();
      return question;
    },
  );
}

/** Holds the request of a question back until the page shows it. */
async function checkOptimism(page, question) {
  const path = '**/chat/messages';
  let letGo;
  const held = new Promise((resolve) => {
    letGo = resolve;
  });
  await page.route(path, async (route) => {
    await held;
    await route.continue();
  });
  await page.locator(byTestId('chat-question')).fill(question);
  await page.keyboard.press('Control+Enter');
  const transcript = page.locator(byTestId('chat-transcript'));
  await transcript.getByRole('group', { name: 'Question' }).getByText(question).waitFor();
  await transcript.getByText('Sending…').waitFor();
  questions += 1;
  letGo();
  await page.waitForFunction(
    (selector) => document.querySelector(selector).value === '',
    byTestId('chat-question'),
  );
  await page.unroute(path);
}

async function askFirstQuestion(page) {
  await e2e.step('a question is shown before TARSy has accepted it', async () => {
    await page.locator(byTestId('chat')).waitFor({ timeout: INVESTIGATION_MS });
    await e2e.recordStreams(page);
    await e2e.pauseModel();
    await checkOptimism(page, 'Since when?');
  });
  await e2e.step('the question and its streaming answer stay in view beside the page', async () => {
    const transcript = page.locator(byTestId('chat-transcript'));
    const question = transcript.getByRole('group', { name: 'Question' }).last();
    const answer = transcript.getByRole('group', { name: 'Answer' }).last();
    await answer.getByText('disk').first().waitFor({ timeout: INVESTIGATION_MS });
    for (const end of [0, 1]) {
      await page.evaluate((at) => window.scrollTo(0, at * document.body.scrollHeight), end);
      await assertInView({ question, answer, field: page.locator(byTestId('chat-question')) });
    }
  });
  await e2e.step('the first answer grows while it streams', async () => {
    await page.locator(byTestId('chat-stop')).waitFor({ timeout: INVESTIGATION_MS });
    const lengths = await e2e.assertStreamGrows(page);
    await e2e.screenshotView(page, 'chat-live.png');
    await e2e.resumeModel();
    return lengths;
  });
  await e2e.step('the answer is below its question', () => waitForAnswer(page, 'Since when?'));
}

/** On a phone, where a line of an answer is wider than the window. */
async function checkWidth(shown) {
  const page = await shown.context().newPage();
  await page.setViewportSize(phone.viewport);
  await page.goto(shown.url(), { timeout: RENDER_MS });
  const chat = page.locator(byTestId('chat'));
  const answers = chat.locator(byTestId('chat-transcript')).getByRole('group', { name: 'Answer' });
  await answers.nth(questions - 1).waitFor({ timeout: RENDER_MS });
  const ends = await chat.locator('a, button, p, li').evaluateAll((all) =>
    all.map((each) => ({
      end: each.getBoundingClientRect().right,
      name: each.textContent.slice(0, 60),
    })),
  );
  const inside = await chat.evaluate((panel) => panel.getBoundingClientRect().right);
  const beside = ends.filter(({ end }) => end > inside + 1).map(({ name }) => name);
  assert.deepEqual(beside, [], 'these lie beside the panel');
  await assertFitsWindow(page);
  await chat.scrollIntoViewIfNeeded();
  await e2e.screenshotView(page, 'chat-phone.png');
  await page.close();
  return `${ends.length} parts`;
}

async function stopAnswer(page) {
  await e2e.pauseModel();
  await ask(page, 'Never mind?');
  await page
    .locator('[data-event-type="llm_response"][data-status="streaming"]')
    .waitFor({ timeout: INVESTIGATION_MS });
  await page.locator(byTestId('chat-stop')).click();
  await waitForTurns(page);
  await e2e.resumeModel();
  await page
    .locator(byTestId('chat-status'))
    .filter({ hasText: 'The answer was cancelled.' })
    .waitFor({ timeout: INVESTIGATION_MS });
  const status = await page.locator(byTestId('session-status')).getAttribute('data-status');
  assert(status === 'completed', `the session is ${status} now`);
}

await e2e.run('chat', async (page) => {
  await e2e.step('a session completes', () =>
    e2e.completeSession(page, e2e.alertType, 'The disk is full'),
  );
  await checkSuggestions(page);
  await askFirstQuestion(page);
  await e2e.step('a second question is answered', async () => {
    await ask(page, 'And before that?');
    await waitForAnswer(page, 'And before that?');
  });
  await e2e.step('nothing of an answer lies beside a phone', () => checkWidth(page));
  await e2e.step('the conclusion is that of the investigation, not an answer', async () => {
    const { final_analysis: analysis } = await e2e.send(
      'GET',
      `/sessions/${e2e.sessionIdOf(page)}`,
    );
    const items = await page
      .locator(timelineItem)
      .evaluateAll((all) => all.map(({ dataset, innerText }) => [dataset.eventType, innerText]));
    const asked = items.findIndex(([type]) => type === 'user_question');
    const answers = items.slice(asked).filter(([type]) => type === 'llm_response');
    assert(asked >= 0 && answers.length > 0 && analysis !== '', 'there is no answer');
    assert(!answers.some(([, text]) => text.includes('shown above')), 'an answer is not shown');
  });
  await e2e.step('a third answer is stopped', () => stopAnswer(page));
  await e2e.accessibilityStep(page, 'the session with its chat', 'chat.png');
});
