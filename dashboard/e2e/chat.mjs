/**
 * Questions about a finished session, in a real browser: the answer is seen growing, a second
 * question follows, and a third answer is stopped.
 *
 * TARSY_ALERT_TYPE  a type whose chain has a chat; more settings are named in kit.mjs
 */
import {
  accessible,
  alertType,
  byTest,
  demand,
  investigated,
  patience,
  picture,
  run,
  step,
  streamGrows,
  watchStreams,
} from './kit.mjs';

async function ask(page, question) {
  await page.locator(byTest('chat-question')).fill(question);
  await page.locator(byTest('chat-send')).click();
  await page.locator(byTest('chat-stop')).waitFor({ timeout: patience });
}

async function answered(page) {
  await page.locator(byTest('chat-stop')).waitFor({ state: 'detached', timeout: patience });
  demand(await page.locator(byTest('chat-question')).isEnabled(), 'nothing more can be asked');
}

/** What the timeline shows from a question on. */
async function turn(page, question) {
  const kinds = await page
    .locator(byTest('timeline-item'))
    .evaluateAll((all) => all.map((one) => [one.dataset.eventType, one.innerText]));
  const start = kinds.findIndex(
    ([kind, text]) => kind === 'user_question' && text.includes(question),
  );
  demand(start >= 0, `the question "${question}" is not on the timeline`);
  return kinds.slice(start + 1).map(([kind]) => kind);
}

async function chat(page) {
  await step('a session is investigated', async () => {
    await investigated(page, alertType, 'The disk is full');
  });
  await step('the first question is answered before the eyes of the reader', async () => {
    await page.locator(byTest('chat')).waitFor({ timeout: patience });
    await watchStreams(page);
    await ask(page, 'Since when?');
    const seen = await streamGrows(page);
    await picture(page, 'chat-live.png', false);
    return seen;
  });
  await step('its answer stays below its question', async () => {
    await answered(page);
    const kinds = await turn(page, 'Since when?');
    demand(kinds.includes('llm_response'), kinds.join(', '));
  });
  await step('a second question is answered, too', async () => {
    await ask(page, 'And before that?');
    await answered(page);
    const kinds = await turn(page, 'And before that?');
    demand(kinds.includes('llm_response'), kinds.join(', '));
  });
  await step('a third answer is stopped', async () => {
    await ask(page, 'Never mind?');
    await page
      .locator('[data-event-type="llm_response"][data-status="streaming"]')
      .waitFor({ timeout: patience });
    await page.locator(byTest('chat-stop')).click();
    await answered(page);
    const status = await page.locator(byTest('session-status')).getAttribute('data-status');
    demand(status === 'completed', `the session is ${status} now`);
  });
  await step('the session with its chat is accessible', () => accessible(page));
  await picture(page, 'chat.png');
}

await run('chat', chat);
