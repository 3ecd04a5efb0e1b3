/** The search: what it finds in alerts, findings, tool calls and chats, where its results lead, keys, and what it shows without results. */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';
import { hit, hitOf, host, isFound, prepare, word } from './searching.mjs';

const { byTestId, RENDER_MS } = e2e;

async function search(page, text) {
  await page.locator(byTestId('search-text')).fill(text);
  await page.waitForURL((url) => new URL(url).searchParams.get('q') === text);
}

const matchOf = (page, id, name) =>
  hitOf(page, id).locator(byTestId('search-match')).filter({ hasText: name }).first();

/** A highlighted word of a result. */
const markOf = (page, id, text) =>
  hitOf(page, id).locator('mark').getByText(text, { exact: true }).first();

async function checkText(page, { id, other }) {
  await e2e.step('the page says what can be searched', async () => {
    await page.goto(`${e2e.url}/search`, { timeout: RENDER_MS });
    await page.locator(byTestId('search-empty')).waitFor();
    return page.evaluate(() => document.title);
  });
  await e2e.step('a session is found by its whole ID, and by a part of it', async () => {
    await search(page, id);
    await markOf(page, id, id).waitFor();
    assert.equal(await page.locator(hit).count(), 1);
    const part = id.slice(9, 18);
    await search(page, part);
    await markOf(page, id, part).waitFor();
  });
  await e2e.step(
    'sessions are found by words of their alerts, and the words are marked',
    async () => {
      await search(page, `disk ${host}`);
      await isFound(page, id);
      await isFound(page, other);
      await markOf(page, id, host).waitFor();
      await markOf(page, id, 'Disk').waitFor();
      await matchOf(page, id, 'Alert').waitFor();
    },
  );
  await e2e.accessibilityStep(page, 'the search', 'search.png');
}

/** Opens a result, and waits until the step with this text has the focus and is in view. */
async function opensStep(page, { id, text, name, expected }) {
  await page.goto(`${e2e.url}/search?q=${encodeURIComponent(text)}`, { timeout: RENDER_MS });
  await matchOf(page, id, name).click();
  await page.waitForURL(new RegExp(`/sessions/${id}#step-`), { timeout: RENDER_MS });
  await page.waitForFunction((shown) => {
    const { activeElement } = document;
    const { top, bottom } = activeElement.getBoundingClientRect();
    const isStep = activeElement.matches('[data-step], section');
    return isStep && activeElement.innerText.includes(shown) && bottom > 0 && top < innerHeight;
  }, expected);
}

async function checkSteps(page, { id }) {
  const steps = [
    ['a finding', { text: 'full call', name: 'Final analysis', expected: 'The disk is full' }],
    ['a summary', { text: 'summary explained', name: 'Executive summary', expected: 'explained' }],
    [
      'arguments of a tool',
      { text: `${e2e.toolServer}.${e2e.toolName} what`, name: 'Tool call 1' },
    ],
    ['a result of a tool', { text: 'ledger entry look', name: 'Tool call 1' }],
    ['a question', { text: `logs${word}`, name: 'Question', expected: `logs${word}` }],
  ];
  for (const [subject, step] of steps) {
    await e2e.step(`${subject} is found, and its result leads to the step`, () =>
      opensStep(page, { id, expected: e2e.toolName, ...step }),
    );
  }
}

async function checkKeys(page, { id }) {
  const focusedTestId = () => page.evaluate(() => document.activeElement?.dataset.testid);
  await e2e.step('the key / leads to the search, and to its field', async () => {
    await page.goto(`${e2e.url}/overview`, { timeout: RENDER_MS });
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.keyboard.press('/');
    await page.locator(byTestId('search-text')).waitFor();
    await page.waitForFunction(() => document.activeElement?.dataset.testid === 'search-text');
    await page.keyboard.type(host);
    await isFound(page, id);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('/');
    assert.equal(await focusedTestId(), 'search-text');
  });
  await e2e.step('results are visited with j and opened with Enter', async () => {
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator(byTestId('session-details')).waitFor({ timeout: RENDER_MS });
  });
}

async function checkStates(page, { id }) {
  await e2e.step('a search without results says so', async () => {
    await page.goto(`${e2e.url}/search?q=nosuchword${word}`, { timeout: RENDER_MS });
    await page.locator(byTestId('search-no-hits')).waitFor();
    return e2e.assertAccessible(page);
  });
  await e2e.step('a search that failed says so, and can be tried again', async () => {
    const requests = /\/api\/v1\/search\?/;
    await page.route(requests, (route) => route.abort());
    await page.goto(`${e2e.url}/search?q=${host}`, { timeout: RENDER_MS });
    const error = page.locator(byTestId('error-state'));
    await error.filter({ hasText: 'Could not load search results' }).waitFor();
    await e2e.assertAccessible(page);
    await page.unroute(requests);
    await error.getByRole('button').click();
    await isFound(page, id);
  });
}

await e2e.run('search', async (page) => {
  const sessions = await prepare(page);
  await checkText(page, sessions);
  await checkSteps(page, sessions);
  await checkKeys(page, sessions);
  await checkStates(page, sessions);
});
