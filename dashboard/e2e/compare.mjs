/**
 * Re-runs and comparisons: an alert is run again with another chain, other tools and another provider, a session is replayed,
 * two runs stand beside each other, and people say what they think of the findings.
 *
 * TARSY_OTHER     alert type of another chain, whose two agents make the same call (default team)
 * TARSY_PROVIDER  a provider that the session has not used (default second)
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS, toolName, toolServer } = e2e;
const other = e2e.setting('TARSY_OTHER', 'team');
const provider = e2e.setting('TARSY_PROVIDER', 'second');
const title = `Disk of db-${Date.now()} is full`;

/** Opens the form with the alert of the session. */
async function rerun(page, id) {
  await page.goto(`${e2e.url}/sessions/${id}`, { timeout: RENDER_MS });
  await page.locator(byTestId('resubmit')).click();
  await page.locator(byTestId('resubmission-notice')).getByRole('link').waitFor();
  const data = page.locator(byTestId('alert-data-input'));
  assert.equal(await data.inputValue(), 'The disk is full');
}

async function submitRerun(page) {
  const id = await e2e.submitForm(page);
  await e2e.assertSessionEnds(page, 'completed');
  return id;
}

async function chooseChain(page) {
  await e2e.choose(page, 'Alert type', other);
}

async function chooseTool(page) {
  const picker = page.locator(byTestId('tool-picker'));
  await picker.getByRole('button', { name: /^Tools/ }).click();
  const server = picker.locator(`${byTestId('server-choice')}[data-server="${toolServer}"]`);
  await server.getByRole('button', { name: /tools?$/ }).click({ timeout: RENDER_MS });
  await server.getByRole('checkbox', { name: toolName, exact: true }).check();
}

async function rerunWithOthers(page, id) {
  const runs = {};
  await e2e.step('it is run again with another chain', async () => {
    await rerun(page, id);
    await chooseChain(page);
    runs.chain = await submitRerun(page);
    const session = await e2e.send('GET', `/sessions/${runs.chain}`);
    assert.deepEqual([session.chain_id, session.title], [other, title]);
  });
  await e2e.step('it is run again with other tools', async () => {
    await rerun(page, id);
    await chooseTool(page);
    runs.tools = await submitRerun(page);
    const { mcp_selection: selection } = await e2e.send('GET', `/sessions/${runs.tools}`);
    assert.deepEqual(selection.servers, [{ name: toolServer, tools: [toolName] }]);
  });
  await e2e.step('it is run again with another provider', async () => {
    await rerun(page, id);
    await page.getByRole('combobox', { name: 'Provider' }).click();
    await page.getByRole('option', { name: new RegExp(`^${provider}(:|$)`) }).click();
    await e2e.assertAccessible(page);
    const run = await submitRerun(page);
    const session = await e2e.send('GET', `/sessions/${run}`);
    assert.equal(session.requested_provider, provider);
    const { stages } = session;
    const used = stages.flatMap(({ executions }) => executions.map((one) => one.llm_provider));
    assert.deepEqual([...new Set(used)], [provider]);
    await page.getByText('Provider override').waitFor();
    await rerun(page, run);
    const field = page.getByRole('combobox', { name: 'Provider' });
    await field.filter({ hasText: provider }).waitFor();
    runs.live = run;
  });
  await e2e.step('it is replayed with another provider', async () => {
    await page.goto(`${e2e.url}/sessions/${id}`, { timeout: RENDER_MS });
    await page.getByRole('button', { name: 'Replay with…' }).click();
    const dialog = page.locator(byTestId('replay-dialog'));
    await dialog.getByRole('combobox', { name: 'Provider' }).click({ timeout: RENDER_MS });
    await page.getByRole('option', { name: new RegExp(`^${provider}(:|$)`) }).click();
    await e2e.assertAccessible(page);
    await e2e.screenshotView(page, 'replay.png');
    await dialog.locator(byTestId('start-replay')).click();
    await page.waitForURL((at) => at.pathname.startsWith('/sessions/') && !at.href.includes(id));
    runs.provider = e2e.sessionIdOf(page);
    // Until it is loaded, the page of the original stays.
    await page.locator(byTestId('session-id')).filter({ hasText: runs.provider }).waitFor();
    await e2e.assertSessionEnds(page, 'completed');
    const { replay_of: original } = await e2e.send('GET', `/sessions/${runs.provider}`);
    assert.equal(original, id);
  });
  return runs;
}

/** The values of a figure of both sessions. */
async function cellsOf(page, name) {
  const header = page.getByRole('rowheader', { name, exact: true });
  const figure = page.locator(byTestId('figure')).filter({ has: header });
  await figure.waitFor({ timeout: RENDER_MS });
  return figure.getByRole('cell').allInnerTexts();
}

async function compare(page, id, runs) {
  await e2e.step('the session offers its other runs, and compares with one of them', async () => {
    await page.goto(`${e2e.url}/sessions/${id}`, { timeout: RENDER_MS });
    await page.getByRole('button', { name: 'Compare with…' }).click();
    const candidates = page.locator(byTestId('compare-candidate'));
    const links = candidates.getByRole('link');
    await links.first().waitFor({ timeout: RENDER_MS });
    const offered = await links.evaluateAll((all) => all.map(({ href }) => href));
    for (const run of Object.values(runs)) {
      assert(
        offered.some((href) => href.includes(run)),
        `without ${run}: ${offered.join(' ')}`,
      );
    }
    await candidates.locator(`a[href*="${runs.chain}"]`).click();
    await page.locator(byTestId('comparison')).waitFor({ timeout: RENDER_MS });
  });
  await e2e.step('the two chains stand beside each other', async () => {
    const cells = await cellsOf(page, 'Chain');
    assert.deepEqual(cells, [e2e.alertType, other]);
  });
  await e2e.step('a call that one of them made more often is named', async () => {
    const difference = page.locator(byTestId('call-difference')).first();
    const text = await difference.innerText();
    assert.match(text, /1×\s+2×/);
    assert(text.includes(`${toolServer}.${toolName}`), text);
    return text.replaceAll(/\s+/g, ' ');
  });
  await e2e.step('both findings are shown side by side', async () => {
    const text = page.locator(byTestId('compared-reports')).locator(byTestId('changed-text'));
    const boxes = await text
      .first()
      .locator(':scope > [role="group"]')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()));
    assert(boxes.length === 2 && boxes[0].right <= boxes[1].left, JSON.stringify(boxes));
  });
  await e2e.accessibilityStep(page, 'the comparison', 'compare.png');
}

async function compareReplay(page, id, { provider: replay }) {
  await e2e.step('a replay is compared with its original: same calls, other provider', async () => {
    await page.goto(`${e2e.url}/sessions/${replay}`, { timeout: RENDER_MS });
    await page.getByRole('button', { name: 'Compare with…' }).click();
    await page.getByRole('link', { name: 'The session that this one replays' }).click();
    await page.waitForURL((at) => at.searchParams.get('first') === id);
    const cells = await cellsOf(page, 'Providers');
    assert.equal(cells[1], provider, cells.join());
    const calls = page.locator(byTestId('compared-calls'));
    await calls.getByText(/^Both made the same call\./).waitFor();
  });
}

/** What a person thinks of each run. */
const reviews = [
  ['tools', 'Partly', 'partly'],
  ['chain', 'Wrong', 'wrong'],
];

async function review(page, run, label, cause) {
  await page.goto(`${e2e.url}/sessions/${run}`, { timeout: RENDER_MS });
  const form = page.locator(byTestId('review-form'));
  await form.getByRole('radio', { name: new RegExp(`^${label}`) }).check({ timeout: RENDER_MS });
  await form.getByRole('textbox', { name: /^Actual cause/ }).fill(cause);
  await form.locator(byTestId('save-review')).click();
  await page.locator(byTestId('review-entry')).filter({ hasText: cause }).waitFor();
}

async function giveFeedback(page, runs) {
  for (const [name, label, stored] of reviews) {
    await e2e.step(`a run is reviewed as ${stored}, with its actual cause`, async () => {
      const cause = `Nobody rotated the logs (${stored}).`;
      await review(page, runs[name], label, cause);
      const { review: saved } = await e2e.send('GET', `/sessions/${runs[name]}/review`);
      assert.deepEqual([saved.review, saved.actual_cause], [stored, cause]);
    });
  }
  await e2e.step('a second review keeps the first one', async () => {
    await page.getByRole('button', { name: 'Add another review' }).click();
    const form = page.locator(byTestId('review-form'));
    await form.getByRole('radio', { name: 'Accurate', exact: true }).check();
    await form.locator(byTestId('save-review')).click();
    await page.getByRole('button', { name: '1 earlier review' }).click();
    const entries = page.locator(byTestId('review-entry'));
    await entries.nth(1).filter({ hasText: '(wrong)' }).waitFor();
  });
  await e2e.step('the comparison has the reviews of both', async () => {
    const path = `/compare?first=${runs.tools}&second=${runs.chain}`;
    await page.goto(`${e2e.url}${path}`, { timeout: RENDER_MS });
    const cells = await cellsOf(page, 'Review');
    assert.deepEqual(cells, ['Partly', 'Accurate']);
  });
}

await e2e.run('compare', async (page) => {
  let id;
  await e2e.step('an alert is investigated', async () => {
    const alert = { alert_type: e2e.alertType, data: 'The disk is full', title };
    id = await e2e.investigate(page, alert);
  });
  const runs = await rerunWithOthers(page, id);
  await compare(page, id, runs);
  await compareReplay(page, id, runs);
  await giveFeedback(page, runs);
});
