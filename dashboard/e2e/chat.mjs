/**
 * Questions about a finished session, in a real browser: the answer is seen growing, a second
 * question follows, and a third answer is stopped.
 *
 * TARSY_ALERT_TYPE  a type whose chain has a chat; more settings are named in kit.mjs
 */
import * as kit from './kit.mjs';

const item = kit.byTest('timeline-item');
let asked = 0;

async function ask(page, question) {
  await page.locator(kit.byTest('chat-question')).fill(question);
  await page.locator(kit.byTest('chat-send')).click();
  asked += 1;
  await page
    .locator(`${item}[data-event-type="user_question"]`)
    .filter({ hasText: question })
    .waitFor({ timeout: kit.patience });
}

/** Waits until all that was asked is over for TARSy and for the page. */
async function over(page) {
  const id = page.url().split('/').at(-1);
  await page.waitForFunction(
    async ([path, count]) => {
      const answer = await fetch(path);
      const { stages } = await answer.json();
      const turns = stages.filter(({ chat_id }) => chat_id);
      const open = turns.filter(({ status }) => status === 'pending' || status === 'active');
      return turns.length === count && open.length === 0;
    },
    [`${kit.url}/api/v1/sessions/${id}`, asked],
    { timeout: kit.patience, polling: 250 },
  );
  await page.locator(kit.byTest('chat-stop')).waitFor({ state: 'detached', timeout: kit.patience });
}

/** Waits until a question has its whole answer below it. */
async function answered(page, question) {
  await over(page);
  await page.waitForFunction(
    ([selector, words]) => {
      const all = [...document.querySelectorAll(selector)];
      const start = all.findIndex(
        ({ dataset, textContent }) =>
          dataset.eventType === 'user_question' && textContent.includes(words),
      );
      const after = start < 0 ? [] : all.slice(start + 1).map(({ dataset }) => dataset);
      return after.some((one) => one.eventType === 'llm_response' && one.status === 'completed');
    },
    [item, question],
    { timeout: kit.patience },
  );
}

async function chat(page) {
  await kit.step('a session is investigated', async () => {
    await kit.investigated(page, kit.alertType, 'The disk is full');
  });
  await kit.step('the first question is answered before the eyes of the reader', async () => {
    await page.locator(kit.byTest('chat')).waitFor({ timeout: kit.patience });
    await kit.watchStreams(page);
    await kit.hold();
    await ask(page, 'Since when?');
    await page.locator(kit.byTest('chat-stop')).waitFor({ timeout: kit.patience });
    const seen = await kit.streamGrows(page);
    await kit.picture(page, 'chat-live.png', false);
    await kit.release();
    return seen;
  });
  await kit.step('its answer stays below its question', () => answered(page, 'Since when?'));
  await kit.step('a second question is answered, too', async () => {
    await ask(page, 'And before that?');
    await answered(page, 'And before that?');
  });
  await kit.step('a third answer is stopped', async () => {
    await kit.hold();
    await ask(page, 'Never mind?');
    await page
      .locator('[data-event-type="llm_response"][data-status="streaming"]')
      .waitFor({ timeout: kit.patience });
    await page.locator(kit.byTest('chat-stop')).click();
    await over(page);
    await kit.release();
    await page
      .locator(kit.byTest('chat-state'))
      .filter({ hasText: 'The answer was stopped.' })
      .waitFor({ timeout: kit.patience });
    const status = await page.locator(kit.byTest('session-status')).getAttribute('data-status');
    kit.demand(status === 'completed', `the session is ${status} now`);
  });
  await kit.step('the session with its chat is accessible', () => kit.accessible(page));
  await kit.picture(page, 'chat.png');
}

await kit.run('chat', chat);
