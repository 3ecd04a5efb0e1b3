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
import {
  accessible,
  alertType,
  byTest,
  demand,
  endsAs,
  picture,
  run,
  step,
  submitAlert,
  url,
  VISIBLE_MS,
} from './kit.mjs';

const [toolServer, tool] = (process.env.TARSY_TOOL ?? 'ledger.look').split('.');
const runbook = process.env.TARSY_RUNBOOK ?? 'disk.md';

async function chooseRunbook(page) {
  await page.locator(byTest('runbook-input')).click();
  const options = page.locator(byTest('runbook-option'));
  await options.first().waitFor({ timeout: VISIBLE_MS });
  const listed = await options.count();
  await page.locator(byTest('runbook-input')).fill(runbook);
  await page.waitForFunction(
    ([selector, before]) => document.querySelectorAll(selector).length < before,
    [byTest('runbook-option'), listed],
    { timeout: VISIBLE_MS },
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const chosen = await page.locator(byTest('runbook-input')).inputValue();
  demand(chosen.endsWith(`/${runbook}`) && chosen.includes('://'), `the field has ${chosen}`);
  return { listed, chosen };
}

async function choiceReads(page, wanted) {
  const words = await page.locator(byTest('tool-choice')).innerText();
  demand(words === wanted, `the choice reads: ${words}`);
}

async function chooseTools(page) {
  const picker = page.locator(byTest('tool-picker'));
  const own = await page.locator(byTest('tool-choice')).innerText();
  demand(own.includes('the chain’s own'), `the choice reads: ${own}`);
  await picker.getByRole('button', { name: /^Tools/ }).click();
  const server = picker.locator(`${byTest('server-choice')}[data-server="${toolServer}"]`);
  const whole = server.getByRole('checkbox', { name: toolServer, exact: true });
  await whole.check({ timeout: VISIBLE_MS });
  await choiceReads(page, toolServer);
  await picker.locator(byTest('tools-reset')).click();
  await choiceReads(page, own);
  await server.getByRole('button', { name: /tools?$/ }).click();
  await server.getByRole('checkbox', { name: tool, exact: true }).check();
  await choiceReads(page, `${toolServer} (1)`);
  const some = await whole.evaluate((one) => one.dataset.indeterminate ?? one.indeterminate);
  demand(String(some) === 'true', 'the server looks as if all of it were chosen');
}

async function form(page) {
  let id = '';
  let address = '';
  await step('an alert is sent with a runbook and one tool', async () => {
    id = await submitAlert(page, alertType, 'The disk is full', async () => {
      const { listed, chosen } = await chooseRunbook(page);
      demand(listed > 1, `${listed} runbooks are listed`);
      address = chosen;
      await chooseTools(page);
      await accessible(page);
      await picture(page, 'submit-tools.png');
    });
    return id;
  });
  await step('its session may use that tool only, and does', async () => {
    const answer = await page.request.get(`${url}/api/v1/sessions/${id}`);
    const { mcp_selection: selection } = await answer.json();
    const wanted = JSON.stringify([{ name: toolServer, tools: [tool] }]);
    const chosen = JSON.stringify(selection?.servers);
    demand(chosen === wanted, `the session has ${JSON.stringify(selection)}`);
    await endsAs(page, 'completed');
    const cards = await page.locator(byTest('tool-card')).count();
    demand(cards > 0, 'the tool was not called');
  });
  await step('the page names the runbook', async () => {
    const facts = await page.locator(byTest('session-facts')).innerText();
    demand(facts.includes(address), facts);
    return address;
  });
}

await run('form', form);
