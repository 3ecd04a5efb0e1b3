/**
 * The submit form: a draft that is kept, a listed runbook, a tool selection, and both in the session.
 *
 * TARSY_ALERT_TYPE needs a chain that calls TARSY_TOOL.
 * TARSY_RUNBOOK  the end of the URL of a listed runbook (default disk.md)
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS, toolName, toolServer } = e2e;
const runbook = e2e.setting('TARSY_RUNBOOK', 'disk.md');

/** Selects the runbook from the filtered suggestions. Returns its URL. */
async function selectRunbook(page) {
  const field = page.locator(byTestId('runbook-input'));
  await field.click();
  const options = page.locator(byTestId('runbook-option'));
  await options.first().waitFor({ timeout: RENDER_MS });
  const listed = await options.count();
  assert(listed > 1, `${listed} runbooks are listed`);
  await field.fill(runbook);
  await page.waitForFunction(
    ([selector, count]) => document.querySelectorAll(selector).length < count,
    [byTestId('runbook-option'), listed],
    { timeout: RENDER_MS },
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForFunction(
    ([input, end]) => input.value.includes('://') && input.value.endsWith(`/${end}`),
    [await field.elementHandle(), runbook],
  );
  return field.inputValue();
}

async function waitForSelection(page, expected) {
  await page.waitForFunction(
    ([selector, text]) => document.querySelector(selector)?.innerText === text,
    [byTestId('tool-selection'), expected],
  );
}

/** Selects the whole server, resets the selection, then selects a single tool. */
async function selectTools(page) {
  const picker = page.locator(byTestId('tool-picker'));
  const chainDefault = `chain default: ${toolServer}`;
  await waitForSelection(page, chainDefault);
  await picker.getByRole('button', { name: /^Tools/ }).click();
  const server = picker.locator(`${byTestId('server-choice')}[data-server="${toolServer}"]`);
  const checkbox = server.getByRole('checkbox', { name: toolServer, exact: true });
  await checkbox.check({ timeout: RENDER_MS });
  await waitForSelection(page, toolServer);
  await picker.getByRole('button', { name: 'Reset to default', exact: true }).click();
  await waitForSelection(page, chainDefault);
  await server.getByRole('button', { name: /tools?$/ }).click();
  await server.getByRole('checkbox', { name: toolName, exact: true }).check();
  await waitForSelection(page, `${toolServer} (1)`);
  const indeterminate = await checkbox.evaluate(
    (input) => input.dataset.indeterminate ?? input.indeterminate,
  );
  assert(String(indeterminate) === 'true', 'the checkbox of the server is not indeterminate');
}

/** What a person has written is lost neither by a reload nor by an example, and is submitted with the keyboard. */
async function checkDraft(page) {
  const data = page.locator(byTestId('alert-data-input'));
  const written = 'The disk of db-1 is full';
  await e2e.step('a draft is kept when the page is loaded anew', async () => {
    await page.goto(`${e2e.url}/submit`, { timeout: RENDER_MS });
    await data.fill(written);
    await page.reload();
    await data.waitFor({ timeout: RENDER_MS });
    assert.equal(await data.inputValue(), written);
  });
  await e2e.step('an example asks before it replaces the draft', async () => {
    const example = page.locator(byTestId('example-alert')).first();
    await example.click({ timeout: RENDER_MS });
    const dialog = page.locator(byTestId('replace-dialog'));
    await dialog.getByRole('button', { name: 'Keep my text' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await data.inputValue(), written);
    await example.click();
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.notEqual(await data.inputValue(), written);
  });
  await e2e.step('Ctrl+Enter submits', async () => {
    await e2e.choose(page, 'Alert type', e2e.alertType);
    await data.fill(written);
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/sessions\/[^/]+$/, { timeout: RENDER_MS });
    await e2e.assertSessionEnds(page, 'completed');
  });
}

await e2e.run('form', async (page) => {
  await checkDraft(page);
  let id = '';
  let runbookUrl = '';
  await e2e.step('an alert is submitted with a runbook and one tool', async () => {
    id = await e2e.submitAlert(page, e2e.alertType, 'The disk is full', async () => {
      runbookUrl = await selectRunbook(page);
      await selectTools(page);
      await e2e.assertAccessible(page);
      await e2e.screenshot(page, 'submit-tools.png');
    });
    return id;
  });
  await e2e.step('the session is limited to that tool and calls it', async () => {
    const response = await page.request.get(`${e2e.url}/api/v1/sessions/${id}`);
    const { mcp_selection: selection } = await response.json();
    assert.deepEqual(selection?.servers, [{ name: toolServer, tools: [toolName] }]);
    await e2e.assertSessionEnds(page, 'completed');
    await page.locator(byTestId('tool-card')).first().waitFor();
  });
  await e2e.step('the alert beside the finding has the runbook', async () => {
    await page.locator(byTestId('alert-data')).filter({ hasText: runbookUrl }).waitFor();
    return runbookUrl;
  });
});
