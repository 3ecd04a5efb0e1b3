/**
 * Questions about a finished session, in a real browser: the answer is seen growing, a second
 * question follows, and a third answer is stopped.
 *
 * TARSY_ALERT_TYPE  a type whose chain has a chat; more settings are named in kit.mjs
 */
import * as kit from './kit.mjs';

async function ask(page, question) {
  await page.locator(kit.byTest('chat-question')).fill(question);
  await page.locator(kit.byTest('chat-send')).click();
  await page.locator(kit.byTest('chat-stop')).waitFor({ timeout: kit.patience });
}

async function answered(page) {
  await page.locator(kit.byTest('chat-stop')).waitFor({ state: 'detached', timeout: kit.patience });
  kit.demand(
    await page.locator(kit.byTest('chat-question')).isEnabled(),
    'nothing more can be asked',
  );
}

/** What the timeline shows from a question on. */
async function turn(page, question) {
  const kinds = await page
    .locator(kit.byTest('timeline-item'))
    .evaluateAll((all) => all.map((one) => [one.dataset.eventType, one.innerText]));
  const start = kinds.findIndex(
    ([kind, text]) => kind === 'user_question' && text.includes(question),
  );
  kit.demand(start >= 0, `the question "${question}" is not on the timeline`);
  return kinds.slice(start + 1).map(([kind]) => kind);
}

async function chat(page) {
  await kit.step('a session is investigated', async () => {
    await kit.investigated(page, kit.alertType, 'The disk is full');
  });
  await kit.step('the first question is answered before the eyes of the reader', async () => {
    await page.locator(kit.byTest('chat')).waitFor({ timeout: kit.patience });
    await kit.watchStreams(page);
    await ask(page, 'Since when?');
    const seen = await kit.streamGrows(page);
    await kit.picture(page, 'chat-live.png', false);
    return seen;
  });
  await kit.step('its answer stays below its question', async () => {
    await answered(page);
    const kinds = await turn(page, 'Since when?');
    kit.demand(kinds.includes('llm_response'), kinds.join(', '));
  });
  await kit.step('a second question is answered, too', async () => {
    await ask(page, 'And before that?');
    await answered(page);
    const kinds = await turn(page, 'And before that?');
    kit.demand(kinds.includes('llm_response'), kinds.join(', '));
  });
  await kit.step('a third answer is stopped', async () => {
    await ask(page, 'Never mind?');
    await page
      .locator('[data-event-type="llm_response"][data-status="streaming"]')
      .waitFor({ timeout: kit.patience });
    await page.locator(kit.byTest('chat-stop')).click();
    await answered(page);
    const status = await page.locator(kit.byTest('session-status')).getAttribute('data-status');
    kit.demand(status === 'completed', `the session is ${status} now`);
  });
  await kit.step('the session with its chat is accessible', () => kit.accessible(page));
  await kit.picture(page, 'chat.png');
}

await kit.run('chat', chat);
