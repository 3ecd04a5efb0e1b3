/** The system page: tool servers with their tools, and services. */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;

await e2e.run('system', async (page) => {
  await e2e.step('the system page shows the schema of a tool', async () => {
    await page.goto(`${e2e.url}/system`, { timeout: RENDER_MS });
    const card = page
      .locator(`${byTestId('mcp-server')}[data-healthy="true"]`)
      .filter({ has: page.getByRole('heading', { name: e2e.toolServer, exact: true }) });
    await card.locator(`${byTestId('server-tools')} > button`).click({ timeout: RENDER_MS });
    const tool = card
      .locator(byTestId('tool'))
      .filter({ has: page.getByRole('button', { name: e2e.toolName }) });
    await tool.getByRole('button', { name: e2e.toolName }).click();
    await tool.getByRole('button', { name: 'Schema' }).click();
    const schema = await tool.locator(byTestId('tool-schema')).innerText();
    assert(schema.includes('"properties"'), `the schema is: ${schema}`);
  });
  await e2e.step('it shows the services with their versions', async () => {
    const row = page.locator(`${byTestId('service')}[data-service="orchestrator"]`);
    await row.first().waitFor({ timeout: RENDER_MS });
    await row
      .filter({ hasText: /tarsy\/\w+/ })
      .first()
      .waitFor();
  });
  await e2e.accessibilityStep(page, 'the system page', 'system.png');
});
