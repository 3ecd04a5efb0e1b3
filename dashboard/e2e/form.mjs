/**
 * The choices of the form, in a real browser: a runbook from the list, whole tool servers and single
 * tools; and that the session has what was chosen.
 *
 * TARSY_ALERT_TYPE  a type whose chain calls the tool
 * TARSY_TOOL        server and tool (default ledger.look)
 * TARSY_RUNBOOK     the end of the address of a runbook that is listed (default disk.md); more settings
 *                   are named in kit.mjs
 */
import process from 'node:process';
import * as kit from './kit.mjs';

const [toolServer, tool] = (process.env.TARSY_TOOL ?? 'ledger.look').split('.');
const runbook = process.env.TARSY_RUNBOOK ?? 'disk.md';

async function chooseRunbook(page) {
  await page.locator(kit.byTest('runbook-input')).click();
  const options = page.locator(kit.byTest('runbook-option'));
  await options.first().waitFor({ timeout: kit.VISIBLE_MS });
  const listed = await options.count();
  await page.locator(kit.byTest('runbook-input')).fill(runbook);
  await page.waitForFunction(
    ([selector, before]) => document.querySelectorAll(selector).length < before,
    [kit.byTest('runbook-option'), listed],
    { timeout: kit.VISIBLE_MS },
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const field = page.locator(kit.byTest('runbook-input'));
  await page.waitForFunction(
    ([one, end]) => one.value.includes('://') && one.value.endsWith(`/${end}`),
    [await field.elementHandle(), runbook],
  );
  return { listed, chosen: await field.inputValue() };
}

async function choiceReads(page, wanted) {
  await page.waitForFunction(
    ([selector, words]) => document.querySelector(selector)?.innerText === words,
    [kit.byTest('tool-choice'), wanted],
  );
}

async function chooseTools(page) {
  const picker = page.locator(kit.byTest('tool-picker'));
  const own = `the chain’s own: ${toolServer}`;
  await choiceReads(page, own);
  await picker.getByRole('button', { name: /^Tools/ }).click();
  const server = picker.locator(`${kit.byTest('server-choice')}[data-server="${toolServer}"]`);
  const whole = server.getByRole('checkbox', { name: toolServer, exact: true });
  await whole.check({ timeout: kit.VISIBLE_MS });
  await choiceReads(page, toolServer);
  await picker.locator(kit.byTest('tools-reset')).click();
  await choiceReads(page, own);
  await server.getByRole('button', { name: /tools?$/ }).click();
  await server.getByRole('checkbox', { name: tool, exact: true }).check();
  await choiceReads(page, `${toolServer} (1)`);
  const some = await whole.evaluate((one) => one.dataset.indeterminate ?? one.indeterminate);
  kit.demand(String(some) === 'true', 'the server looks as if all of it were chosen');
}

async function form(page) {
  let id = '';
  let address = '';
  await kit.step('an alert is sent with a runbook and one tool', async () => {
    id = await kit.submitAlert(page, kit.alertType, 'The disk is full', async () => {
      const { listed, chosen } = await chooseRunbook(page);
      kit.demand(listed > 1, `${listed} runbooks are listed`);
      address = chosen;
      await chooseTools(page);
      await kit.accessible(page);
      await kit.picture(page, 'submit-tools.png');
    });
    return id;
  });
  await kit.step('its session may use that tool only, and does', async () => {
    const answer = await page.request.get(`${kit.url}/api/v1/sessions/${id}`);
    const { mcp_selection: selection } = await answer.json();
    const wanted = JSON.stringify([{ name: toolServer, tools: [tool] }]);
    const chosen = JSON.stringify(selection?.servers);
    kit.demand(chosen === wanted, `the session has ${JSON.stringify(selection)}`);
    await kit.endsAs(page, 'completed');
    await page.locator(kit.byTest('tool-card')).first().waitFor();
  });
  await kit.step('the page names the runbook', async () => {
    await page.locator(kit.byTest('session-facts')).filter({ hasText: address }).waitFor();
    return address;
  });
}

await kit.run('form', form);
