/**
 * An investigation from an example alert to the final analysis: submission, streaming response, tool
 * result, analysis, review, dark mode and session list.
 *
 * TARSY_EXAMPLE  name of the example alert (default host)
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;
const example = e2e.setting('TARSY_EXAMPLE', 'host');

/** The parts of texts that a page receives, counted by event: how many of them it renders depends on its speed. */
function countChunks(page) {
  const chunks = new Map();
  const count = ({ payload }) => {
    const { type, event_id: id } = JSON.parse(payload);
    if (type === 'stream.chunk') chunks.set(id, (chunks.get(id) ?? 0) + 1);
  };
  page.on('websocket', (socket) => socket.on('framereceived', count));
  return chunks;
}

async function openSessionList(page) {
  await e2e.step('the session list loads', async () => {
    await page.goto(`${e2e.url}/`, { timeout: RENDER_MS });
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor({ timeout: RENDER_MS });
    await page
      .locator(byTestId('history-skeleton'))
      .waitFor({ state: 'detached', timeout: RENDER_MS });
    const errors = await page.locator(byTestId('error-state')).count();
    assert(errors === 0, 'the list shows an error');
  });
  await e2e.step('identifiers are drawn with the letters that they have', async () => {
    const ligatures = await page
      .locator('h1, main input')
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).fontVariantLigatures));
    assert(new Set(ligatures).size === 1 && ligatures[0] === 'no-contextual', ligatures.join());
  });
  await e2e.step('a lost network is shown, and found again', async () => {
    const banner = page.locator(byTestId('disconnected-banner'));
    await page.context().setOffline(true);
    await banner.waitFor({ timeout: RENDER_MS });
    await page.context().setOffline(false);
    await banner.waitFor({ state: 'detached', timeout: RENDER_MS });
  });
  await e2e.accessibilityStep(page, 'the session list', 'list.png');
  await e2e.step('the help sheet and the command palette are accessible', async () => {
    await page.keyboard.press('?');
    await page.locator(byTestId('help-sheet')).waitFor();
    await e2e.assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.locator(byTestId('help-sheet')).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Go to System' }).waitFor();
    await e2e.assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.locator(byTestId('command-palette')).waitFor({ state: 'detached' });
  });
}

async function submitExample(page) {
  await e2e.step('an example fills in the form', async () => {
    await page.getByRole('link', { name: 'Submit', exact: true }).click();
    const cards = page.locator(byTestId('example-alert'));
    await cards.first().waitFor({ timeout: RENDER_MS });
    const names = await cards.evaluateAll((all) => all.map(({ dataset }) => dataset.example));
    assert(names.includes(example), `no example "${example}"; there are: ${names.join(', ')}`);
    await page.locator(`${byTestId('example-alert')}[data-example="${example}"]`).click();
    const data = await page.locator(byTestId('alert-data-input')).inputValue();
    assert(data.trim() !== '', `the example "${example}" left the form empty`);
    return `${data.length} characters`;
  });
  await e2e.accessibilityStep(page, 'the form', 'submit.png');
  await e2e.step('submitting opens the session', async () => {
    await e2e.recordStreams(page);
    return e2e.submitForm(page);
  });
}

async function watchInvestigation(page, chunks) {
  await e2e.step('responses arrive in parts, and are shown while they do', async () => {
    const most = () => Math.max(0, ...chunks.values());
    await e2e.eventually('three parts', () => most() >= 3, e2e.INVESTIGATION_MS);
    const shown = () => Object.values(window.tarsyStreamLengths).flat().length > 0;
    await page.waitForFunction(shown, undefined, { timeout: e2e.INVESTIGATION_MS });
    return `${most()} parts`;
  });
  await e2e.screenshotView(page, 'session-live.png');
  await e2e.step('a tool call shows its result', async () => {
    const result = page.locator(`${byTestId('tool-card')} ${byTestId('tool-result')}`).first();
    await result.waitFor({ timeout: e2e.INVESTIGATION_MS });
    const text = (await result.textContent()) ?? '';
    assert(text.trim() !== '', 'the result of the tool is empty');
    return `${text.length} characters`;
  });
  await e2e.step('the session completes', () => e2e.assertSessionEnds(page, 'completed'));
  await e2e.step('the final analysis is shown', async () => {
    const analysis = page.locator(byTestId('final-analysis'));
    await analysis.waitFor({ timeout: RENDER_MS });
    const fold = analysis.getByRole('button', { name: 'Final analysis', expanded: false });
    if (await fold.isVisible()) await fold.click();
    const text = (await analysis.innerText()).trim();
    assert(text.length > 'Final analysis'.length + 20, `the analysis is too short: ${text}`);
    return `${text.length} characters`;
  });
  await e2e.step('the timeline leads to the conclusion instead of repeating it', async () => {
    const link = page.locator(e2e.timelineItem).getByText('Final analysis, shown above');
    await link.waitFor();
    assert.equal(await link.count(), 1);
    const repeated = `${e2e.timelineItem}[data-event-type="final_analysis"]`;
    assert.equal(await page.locator(repeated).count(), 0, 'the final analysis is there twice');
  });
  await e2e.accessibilityStep(page, 'the session page', 'session-full.png');
  await page.evaluate(() => window.scrollTo(0, 0));
  await e2e.screenshotView(page, 'session.png');
}

/** The filters with the types of the steps that each leaves. */
const filters = [
  ['Tool calls', ['llm_tool_call', 'mcp_tool_summary']],
  ['Responses', ['llm_response', 'final_analysis', 'executive_summary', 'user_question']],
];

async function filterSteps(page) {
  const filter = page.locator(byTestId('timeline-filter'));
  const choose = (name) => filter.getByRole('button', { name, exact: true }).click();
  const steps = page.locator(e2e.timelineItem);
  await e2e.step('steps are filtered by their kind', async () => {
    for (const [name, types] of filters) {
      await choose(name);
      await e2e.eventually(`${name} alone are shown`, async () => {
        const shown = await steps.evaluateAll((all) => all.map(({ dataset }) => dataset.eventType));
        return shown.length > 0 && shown.every((type) => types.includes(type));
      });
    }
    await choose('Errors');
    await choose('All');
    const thought = page.locator(`${e2e.timelineItem}[data-event-type="llm_thinking"]`).first();
    await thought.getByText('Reasoning', { exact: true }).waitFor();
  });
  await e2e.step('steps are searched', async () => {
    await filter.getByRole('searchbox', { name: 'Search steps', exact: true }).fill('call 1');
    const count = await filter.getByText(/^\d+ of \d+ steps$/).innerText();
    await page.locator(`${byTestId('tool-card')}[data-call="1"]`).waitFor();
    await filter.getByRole('searchbox').fill('');
    return count;
  });
}

/** The report, its layout on paper, and the exported file. */
async function checkExport(page) {
  const menu = page.getByRole('button', { name: 'Export' });
  await e2e.step('the session is exported as Markdown', async () => {
    await menu.click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Markdown' }).click();
    const name = (await download).suggestedFilename();
    assert.match(name, /^tarsy-.+\.md$/);
    return name;
  });
  await e2e.step('the report has the findings with their evidence', async () => {
    await menu.click();
    await page.getByRole('menuitem', { name: 'Printable report' }).click();
    const report = page.locator(byTestId('report'));
    await report.getByRole('heading', { name: 'Final analysis' }).waitFor({ timeout: RENDER_MS });
    await report
      .getByRole('heading', { name: /^call \d+:/ })
      .first()
      .waitFor();
  });
  await e2e.accessibilityStep(page, 'the report', 'report.png');
  await e2e.step('paper has the content alone', async () => {
    await page.emulateMedia({ media: 'print' });
    // A claim is a part of the text, which a click explains.
    const visible = await page
      .locator(`header, footer, button:not(${byTestId('claim-verdict')})`)
      .evaluateAll((all) => all.filter((each) => each.offsetParent !== null).length);
    assert.equal(visible, 0);
    await e2e.screenshot(page, 'report-print.png');
    await page.emulateMedia({ media: 'screen' });
  });
  await page.goBack();
}

/** A review of the finding, and the dialog that offers what to compare it with. */
async function checkReview(page) {
  await e2e.step('the finding is reviewed', async () => {
    const form = page.locator(byTestId('review-form'));
    await form.getByRole('radio', { name: 'Accurate', exact: true }).check({ timeout: RENDER_MS });
    await form.getByRole('textbox', { name: /^Actual cause/ }).fill('It is as the report says.');
    await form.locator(byTestId('save-review')).click();
    const entry = page.locator(byTestId('review-entry'));
    await entry.filter({ hasText: 'It is as the report says.' }).waitFor({ timeout: RENDER_MS });
    return (await entry.innerText()).split('\n')[0];
  });
  await e2e.accessibilityStep(page, 'the reviewed session', 'reviewed.png');
  await e2e.step('a session to compare with is asked for', async () => {
    await page.getByRole('button', { name: 'Compare with…' }).click();
    const dialog = page.locator(byTestId('compare-dialog'));
    await dialog.getByRole('textbox', { name: "Another session's ID" }).waitFor();
    await e2e.assertAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
}

async function checkDarkMode(page) {
  await e2e.step('dark mode survives a reload and is accessible', async () => {
    await page.getByTestId('settings-link').click();
    await page.getByRole('radio', { name: 'Dark' }).check();
    await e2e.assertAccessible(page);
    await page.goBack();
    await page.reload({ timeout: RENDER_MS });
    await page.locator(byTestId('final-analysis')).waitFor({ timeout: RENDER_MS });
    const scheme = await page.locator('html').getAttribute('data-scheme');
    assert(scheme === 'dark', `after a reload the scheme is ${scheme}`);
    return e2e.assertAccessible(page);
  });
  await e2e.screenshot(page, 'session-dark.png');
}

await e2e.run('investigation', async (page) => {
  const chunks = countChunks(page);
  await openSessionList(page);
  await submitExample(page);
  await watchInvestigation(page, chunks);
  await filterSteps(page);
  await checkExport(page);
  await checkReview(page);
  await checkDarkMode(page);
  await e2e.step('the list has the finished session with its review', async () => {
    const id = e2e.sessionIdOf(page);
    await page.getByRole('link', { name: 'Sessions', exact: true }).first().click();
    await page
      .locator(`${byTestId('session-row')}[data-session-id="${id}"] ${byTestId('review-badge')}`)
      .waitFor({ timeout: RENDER_MS });
  });
  await e2e.screenshot(page, 'list-dark.png');
});
