/**
 * The system page, in a real browser: what the tool servers offer, and which services run.
 *
 * TARSY_TOOL  server and tool (default ledger.look); more settings are named in kit.mjs
 */
import process from 'node:process';
import * as kit from './kit.mjs';

const [toolServer, tool] = (process.env.TARSY_TOOL ?? 'ledger.look').split('.');

async function system(page) {
  await kit.step('the system page shows what a tool takes', async () => {
    await page.goto(`${kit.url}/system`, { timeout: kit.VISIBLE_MS });
    const card = page
      .locator(`${kit.byTest('mcp-server')}[data-healthy="true"]`)
      .filter({ has: page.getByRole('heading', { name: toolServer, exact: true }) });
    await card.locator(`${kit.byTest('server-tools')} > button`).click({ timeout: kit.VISIBLE_MS });
    const entry = card
      .locator(kit.byTest('tool'))
      .filter({ has: page.getByRole('button', { name: tool }) });
    await entry.getByRole('button', { name: tool }).click();
    await entry.getByRole('button', { name: 'Schema' }).click();
    const schema = await entry.locator(kit.byTest('tool-schema')).innerText();
    kit.demand(schema.includes('"properties"'), `the schema reads: ${schema}`);
  });
  await kit.step('it shows the services with their versions', async () => {
    const row = page.locator(`${kit.byTest('service')}[data-service="orchestrator"]`);
    await row.first().waitFor({ timeout: kit.VISIBLE_MS });
    await row
      .filter({ hasText: /\d+\.\d+\.\d+/ })
      .first()
      .waitFor();
  });
  await kit.step('the system page is accessible', () => kit.accessible(page));
  await kit.picture(page, 'system.png');
}

await kit.run('system', system);
