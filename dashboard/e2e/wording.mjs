/**
 * The words of operators, where they belong: errors, the trace, the system page and the form. The words that they
 * replaced are on none of these pages.
 *
 * TARSY_ALERT_TYPE needs a chain with a tool, whose first model call fails when the alert is TARSY_REFUSED.
 * TARSY_REFUSED  data of an alert (default "The first refuses")
 * TARSY_BROKEN   a tool server that does not start (default broken)
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;
const refused = e2e.setting('TARSY_REFUSED', 'The first refuses');
const broken = e2e.setting('TARSY_BROKEN', 'broken');

/** What these pages said before they had standard terms. */
const replaced = [
  'Trouble',
  'Answers',
  'Words in a step',
  'Thought',
  'Thinking',
  'did not succeed',
  'Tools that it asks for',
  'Took',
  'Record',
  'Seen',
  'Last seen',
  'Not healthy',
  'No tools',
  'Investigates',
  'Submit again',
  'Pages read',
  'Read pages',
  'Native model tools',
  'The model’s own tools',
  'Reset to chain default',
  'The server published no input schema',
];

/** Fails if a part of the page has one of the old words as a whole label, or a sentence with one of several words. */
async function assertStandard(page, part = 'main') {
  const texts = await page.locator(part).evaluate((main) =>
    main.innerText
      .split('\n')
      .concat([...main.querySelectorAll('[aria-label]')].map((each) => each.ariaLabel ?? ''))
      .map((text) => text.trim()),
  );
  const found = replaced.filter((old) =>
    texts.some((text) => (old.includes(' ') ? text.includes(old) : text === old)),
  );
  assert.deepEqual(found, []);
}

async function open(page, path, shows) {
  await page.goto(`${e2e.url}${path}`, { timeout: RENDER_MS });
  await page.locator(shows).first().waitFor({ timeout: RENDER_MS });
}

async function checkSession(page) {
  await e2e.step('a call of the model that failed is a failed LLM request', async () => {
    const error = page.locator(`${e2e.timelineItem}[data-event-type="error"]`).first();
    await error.getByText(/^LLM request failed: /).waitFor();
    await page.getByRole('link', { name: 'Re-run', exact: true }).waitFor();
    await assertStandard(page);
    return (await error.innerText()).replaceAll('\n', ' ');
  });
}

async function checkWork(page) {
  await e2e.step('the work on a session is taken, finished and reopened, with notes', async () => {
    const panel = page.locator(byTestId('triage'));
    await panel.getByRole('heading', { name: 'Work', exact: true }).waitFor({ timeout: RENDER_MS });
    await panel.getByText('No notes yet.', { exact: true }).waitFor();
    for (const [button, entry] of [
      ['Take', /^Taken by /],
      ['Give back', /^Set to new by /],
      ['Mark as done', /^Marked as done by /],
      ['Reopen', /^Set to new by /],
    ]) {
      await panel.getByRole('button', { name: button, exact: true }).click();
      await panel.locator(byTestId('triage-entry')).first().getByText(entry).waitFor();
    }
    await panel.getByRole('button', { name: 'Add a note or assign', exact: true }).waitFor();
    await assertStandard(page);
  });
}

async function checkTrace(page, id) {
  await open(page, `/sessions/${id}/trace`, byTestId('trace-row'));
  const rows = page.locator(`${byTestId('trace-row')}[data-kind="llm"][data-failed="false"]`);
  await e2e.step('the conversation is between System, User and Assistant', async () => {
    const call = rows.first();
    await call.locator('button[aria-expanded="false"]').first().click();
    await call.locator(byTestId('llm-detail')).waitFor({ timeout: RENDER_MS });
    const labels = await call
      .locator(byTestId('trace-message'))
      .evaluateAll((all) => all.map((each) => each.innerText.split('\n')[0]));
    for (const label of ['System', 'User', 'Assistant']) {
      assert(labels.includes(label), `without ${label}: ${labels.join()}`);
    }
    await call.getByText('Tool calls', { exact: true }).waitFor();
  });
  await e2e.step('a call has a duration, an ID and metadata of its provider', async () => {
    const call = rows.first();
    for (const term of ['Duration', 'ID']) await call.getByText(term, { exact: true }).waitFor();
    await call.getByRole('button', { name: 'Provider metadata', exact: true }).click();
    await call.getByRole('group', { name: 'Provider metadata', exact: true }).waitFor();
    await assertStandard(page);
  });
}

async function checkTimeout(page, id) {
  await e2e.step('an agent whose model is silent has timed out', async () => {
    const { chain } = await e2e.send('GET', `/sessions/${id}/recording`);
    const changes = { chain: { ...chain, first_token_timeout_ms: 1 } };
    const { session_id: copy } = await e2e.send('POST', `/sessions/${id}/replay`, changes);
    await open(page, `/sessions/${copy}`, byTestId('session-page'));
    await e2e.assertSessionEnds(page, 'timed_out');
    const agent = page.locator(byTestId('execution')).first();
    const text = await agent.getByText(/^Agent timed out: /).innerText({ timeout: RENDER_MS });
    await assertStandard(page);
    return text;
  });
}

const cardOf = (page, server) =>
  page
    .locator(byTestId('mcp-server'))
    .filter({ has: page.getByRole('heading', { name: server, exact: true }) });

/** Changes what TARSy answers: for states that this one is not in. */
const answerWith = (page, path, change) =>
  page.route(path, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change(await response.json()) });
  });

async function checkSystem(page) {
  await e2e.step('a server that does not start is unhealthy, with 0 tools', async () => {
    await open(page, '/system', byTestId('service'));
    const card = cardOf(page, broken);
    for (const text of ['Unhealthy', '0 tools']) {
      await card.getByText(text, { exact: true }).waitFor({ timeout: RENDER_MS });
    }
  });
  await e2e.step('services have a last heartbeat, and About names the engine', async () => {
    await page.getByRole('columnheader', { name: 'Last heartbeat', exact: true }).waitFor();
    const about = page.locator(byTestId('about'));
    await about.getByRole('heading', { name: 'About', exact: true }).waitFor();
    await about.getByText('Engine', { exact: true }).waitFor();
    await about.getByText('Language model', { exact: true }).waitFor();
    await assertStandard(page);
  });
  await e2e.step(
    'what cannot be reached is unavailable, and a tool may lack a schema',
    async () => {
      await answerWith(page, '**/system/state', (state) => ({
        ...state,
        queue: null,
        database: null,
      }));
      await answerWith(page, '**/system/mcp-servers', ({ servers }) => ({
        servers: servers.map((server) => ({
          ...server,
          tools: server.tools.map((tool) => ({ ...tool, input_schema: null })),
        })),
      }));
      await open(page, '/system', byTestId('service'));
      await page.locator(byTestId('queue')).getByText('Unavailable', { exact: true }).waitFor();
      const card = cardOf(page, e2e.toolServer);
      await card.locator(`${byTestId('server-tools')} > button`).click();
      await card.getByRole('button', { name: e2e.toolName }).click();
      await card.getByText('No input schema', { exact: true }).waitFor();
      await assertStandard(page);
    },
  );
}

/** The dialogs of a session that has ended. */
async function checkLearning(page, id) {
  await open(page, `/sessions/${id}`, byTestId('session-details'));
  await e2e.step('a session that nobody scored says how scores are made', async () => {
    await page.locator(byTestId('score')).click();
    const dialog = page.getByRole('dialog', { name: 'Score', exact: true });
    await dialog.getByText(/^Not scored\. A model judges the investigation/).waitFor();
    await dialog.getByRole('button', { name: 'Score this session', exact: true }).waitFor();
    await assertStandard(page, '[role="dialog"]');
    await e2e.assertAccessible(page);
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  });
  await e2e.step('a postmortem says who wrote it, and what a person has to write', async () => {
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Postmortem', exact: true }).click();
    const dialog = page.locator(byTestId('postmortem'));
    for (const part of [/Made by rules from the records of 1 session/, /## Still to write/]) {
      await dialog.getByText(part).first().waitFor({ timeout: RENDER_MS });
    }
    await dialog.getByRole('button', { name: 'Write with a model', exact: true }).waitFor();
    await assertStandard(page, '[role="dialog"]');
    await e2e.assertAccessible(page);
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  });
  await e2e.step('memories say what makes them, and schedules how one is added', async () => {
    await open(page, '/memories', byTestId('no-memories'));
    await page.getByRole('heading', { name: 'Memories', exact: true }).first().waitFor();
    await page.getByText('No memories yet', { exact: true }).waitFor();
    await page.getByText(/^Review the finding of a session: the confirmed cause/).waitFor();
    await assertStandard(page);
    await open(page, '/schedules', byTestId('no-schedules'));
    await page.getByRole('heading', { name: 'Schedules', exact: true }).waitFor();
    await page.getByText('Investigations that start by the calendar.', { exact: true }).waitFor();
    await page.getByText(/^Add one to schedules in tarsy\.yaml: /).waitFor();
    await assertStandard(page);
  });
  await e2e.step('prevention counts a week, and says what it counts', async () => {
    await open(page, '/prevention', byTestId('prevention-week'));
    await page.getByRole('heading', { name: 'Prevention', exact: true }).waitFor();
    await page.getByText('Last 7 days', { exact: true }).first().waitFor();
    await page.getByText(/^\d+ sessions?, \d+ in the week before\.$/).waitFor();
    await assertStandard(page);
  });
  await e2e.step(
    'the commands of messengers are documented in the words that people write',
    async () => {
      await open(page, '/documentation/notifications/commands', byTestId('documentation'));
      for (const command of ['investigate TEXT', 'status [SESSION]', 'ask [SESSION] QUESTION']) {
        await page.getByText(`@TARSy ${command}`, { exact: true }).waitFor();
      }
      await assertStandard(page);
    },
  );
}

async function checkForm(page) {
  await e2e.step('the form has provider-native tools such as URL context', async () => {
    await answerWith(page, '**/system/default-tools*', (defaults) => ({
      ...defaults,
      allowed_native_tools: ['google_search', 'code_execution', 'url_context'],
    }));
    await open(page, '/submit', byTestId('tool-picker'));
    const picker = page.locator(byTestId('tool-picker'));
    await picker.getByRole('button', { name: /^Tools/ }).click();
    const native = picker.getByRole('group', { name: 'Provider-native tools', exact: true });
    await native.getByRole('combobox', { name: 'URL context', exact: true }).click();
    await page.getByRole('option', { name: 'On', exact: true }).click();
    await picker.getByRole('button', { name: 'Reset to default', exact: true }).click();
    await assertStandard(page);
  });
}

await e2e.run('wording', async (page) => {
  let id;
  await e2e.step('a session whose first model call fails completes', async () => {
    id = await e2e.investigate(page, { alert_type: e2e.alertType, data: refused });
  });
  await checkSession(page);
  await checkWork(page);
  await checkTrace(page, id);
  await checkTimeout(page, id);
  await checkLearning(page, id);
  await checkSystem(page);
  await checkForm(page);
});
