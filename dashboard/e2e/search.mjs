/**
 * The search: what it finds in alerts, findings, tool calls and chats, where its results lead, filters, saved views, keys, and
 * what it shows without results.
 *
 * TARSY_ALERT_TYPE  needs a chain with chat and a tool
 * TARSY_DEGRADED    alert type whose findings are degraded, because its agent has no tools (default plain)
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, INVESTIGATION_MS, RENDER_MS } = e2e;
const degradedType = e2e.setting('TARSY_DEGRADED', 'plain');
const word = Date.now().toString(36);
const host = `db-${word}`;
const hit = byTestId('search-hit');

async function ask(page, question) {
  await page.locator(byTestId('chat-question')).fill(question);
  await page.locator(byTestId('chat-send')).click();
  const isAnswered = async () => {
    const { stages } = await e2e.send('GET', `/sessions/${e2e.sessionIdOf(page)}`);
    return stages.some(({ chat_id, status }) => chat_id && status === 'completed');
  };
  await e2e.eventually('the question is answered', isAnswered, INVESTIGATION_MS);
}

async function prepare(page) {
  const data = `Disk of ${host} is full`;
  const id = await e2e.investigate(page, { alert_type: e2e.alertType, data, severity: 'critical' });
  await ask(page, `Who rotates logs${word}?`);
  await e2e.send('PUT', `/sessions/${id}/review`, { review: 'accurate' });
  const other = await e2e.investigate(page, { alert_type: degradedType, data, severity: 'info' });
  return { id, other };
}

async function search(page, text) {
  await page.locator(byTestId('search-text')).fill(text);
  await page.waitForURL((url) => new URL(url).searchParams.get('q') === text);
}

const hitOf = (page, id) => page.locator(hit).filter({ has: page.locator(`a[href*="${id}"]`) });

/** Waits until a session is found, or no longer. */
const isFound = (page, id) => hitOf(page, id).first().waitFor();
const isNotFound = (page, id) => hitOf(page, id).first().waitFor({ state: 'detached' });

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

async function choose(page, label, option) {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function type(page, label, text) {
  const field = page.getByRole('combobox', { name: label });
  await field.fill(text);
  await field.press('Enter');
}

/** Sets a filter and asserts which of the two sessions are left. */
async function narrows(page, { id, other }, { set, finds }) {
  await page.goto(`${e2e.url}/search?q=${host}`, { timeout: RENDER_MS });
  await isFound(page, id);
  await isFound(page, other);
  await set();
  await (finds.includes(id) ? isFound(page, id) : isNotFound(page, id));
  await (finds.includes(other) ? isFound(page, other) : isNotFound(page, other));
  const query = new URL(page.url()).search;
  await page.locator(byTestId('clear-filters')).click();
  await isFound(page, id);
  await isFound(page, other);
  return query;
}

async function checkFilters(page, sessions) {
  const { id, other } = sessions;
  const degraded = () => page.getByRole('button', { name: 'Degraded only' }).click();
  const filters = [
    ['chain', { set: () => choose(page, 'Chain', degradedType), finds: [other] }],
    ['severity', { set: () => type(page, 'Severity', 'critical'), finds: [id] }],
    ['author', { set: () => type(page, 'Author', 'nobody'), finds: [] }],
    ['status', { set: () => choose(page, 'Status', 'Failed'), finds: [] }],
    ['review', { set: () => choose(page, 'Review', 'Accurate'), finds: [id] }],
    ['no review', { set: () => choose(page, 'Review', 'Not reviewed'), finds: [other] }],
    ['degraded findings', { set: degraded, finds: [other] }],
    ['time', { set: () => choose(page, 'Time', 'Last hour'), finds: [id, other] }],
  ];
  for (const [name, filter] of filters) {
    await e2e.step(`results are filtered by ${name}`, () => narrows(page, sessions, filter));
  }
  await e2e.step('results are filtered by two times', async () => {
    const between = async () => {
      await choose(page, 'Time', 'Between two times');
      await page.getByLabel('From', { exact: true }).fill('2020-01-01T08:00');
      await page.getByLabel('To', { exact: true }).fill('2020-01-01T09:30');
    };
    return narrows(page, sessions, { set: between, finds: [] });
  });
}

async function checkViews(page, { id, other }) {
  await e2e.step('filters are saved as a view, and applied', async () => {
    await page.goto(`${e2e.url}/search?q=${host}&severity=critical`, { timeout: RENDER_MS });
    await isFound(page, id);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save these filters…' }).click();
    await e2e.assertAccessible(page);
    await page.getByLabel('Name of the current filters').fill('Critical');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator(byTestId('clear-filters')).click();
    await isFound(page, other);
    await page.reload();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Critical' }).click();
    await isNotFound(page, other);
    await isFound(page, id);
  });
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
  let sessions;
  await e2e.step('two sessions, a question and a review', async () => {
    sessions = await prepare(page);
  });
  await checkText(page, sessions);
  await checkSteps(page, sessions);
  await checkFilters(page, sessions);
  await checkViews(page, sessions);
  await checkKeys(page, sessions);
  await checkStates(page, sessions);
});
