/**
 * The system page and the choice of tools, in a real browser: what the tool servers offer, which
 * services run, an alert that may use one tool only, and what was masked in its result.
 *
 * TARSY_ALERT_TYPE    a type whose chain calls that tool
 * TARSY_TOOL          server and tool (default ledger.look); more settings are named in kit.mjs
 */
import process from 'node:process';
import {
  accessible,
  byTest,
  demand,
  picture,
  run,
  sessionEnds,
  step,
  submitAlert,
  url,
  VISIBLE_MS,
} from './kit.mjs';

const type = process.env.TARSY_ALERT_TYPE ?? 'ledger';
const [toolServer, tool] = (process.env.TARSY_TOOL ?? 'ledger.look').split('.');

async function choose(page) {
  const picker = page.locator(byTest('tool-picker'));
  await picker.getByRole('button', { name: /^Tools/ }).click();
  const choice = picker.locator(`${byTest('server-choice')}[data-server="${toolServer}"]`);
  await choice.getByRole('button', { name: /tools?$/ }).click({ timeout: VISIBLE_MS });
  await choice.getByRole('checkbox', { name: tool, exact: true }).check();
  const words = await page.locator(byTest('tool-choice')).innerText();
  demand(words.includes(`${toolServer} (1)`), `the choice reads: ${words}`);
}

async function system(page) {
  await step('the system page shows what a tool takes', async () => {
    await page.goto(`${url}/system`, { timeout: VISIBLE_MS });
    const card = page
      .locator(`${byTest('mcp-server')}[data-healthy="true"]`)
      .filter({ has: page.getByRole('heading', { name: toolServer, exact: true }) });
    await card.locator(`${byTest('server-tools')} > button`).click({ timeout: VISIBLE_MS });
    const entry = card
      .locator(byTest('tool'))
      .filter({ has: page.getByRole('button', { name: tool }) });
    await entry.getByRole('button', { name: tool }).click();
    await entry.getByRole('button', { name: 'Schema' }).click();
    const schema = await entry.locator(byTest('tool-schema')).innerText();
    demand(schema.includes('"properties"'), `the schema reads: ${schema}`);
  });
  await step('it shows the services with their versions', async () => {
    const row = page.locator(`${byTest('service')}[data-service="orchestrator"]`);
    await row.first().waitFor({ timeout: VISIBLE_MS });
    const words = await row.first().innerText();
    demand(/\d+\.\d+\.\d+/.test(words), `no version: ${words}`);
  });
  await step('the system page is accessible', () => accessible(page));
  await picture(page, 'system.png');

  let id = '';
  await step('an alert is sent with one tool chosen', async () => {
    id = await submitAlert(page, type, 'The disk is full', async () => {
      await choose(page);
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
    const reached = await sessionEnds(page);
    demand(reached === 'completed', `the session ended as ${reached}`);
  });
  await step('what was masked in its result is marked', async () => {
    const card = page
      .locator(byTest('timeline-item'))
      .filter({ has: page.locator(byTest('tool-card')) });
    await card.first().locator(byTest('masked-mark')).waitFor({ timeout: VISIBLE_MS });
    const text = await card.first().innerText();
    demand(!text.includes('sk-planted'), 'the planted secret is on the page');
  });
}

await run('system', system);
