/**
 * The system page, in a real browser: what the tool servers offer, and which services run.
 *
 * TARSY_TOOL  server and tool (default ledger.look); more settings are named in kit.mjs
 */
import process from 'node:process';
import { accessible, byTest, demand, picture, run, step, url, VISIBLE_MS } from './kit.mjs';

const [toolServer, tool] = (process.env.TARSY_TOOL ?? 'ledger.look').split('.');

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
}

await run('system', system);
