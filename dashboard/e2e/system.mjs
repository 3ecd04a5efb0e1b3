/** The system page: tool servers with their tools, services, the queue, the storage of NATS, and providers. */
import assert from 'node:assert/strict';
import { loadingRequests, MAX_REQUESTS } from './fitting.mjs';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;

/** Opens the system page as on a phone. Returns its requests, each URL once, and a note on its layout shift. */
async function measure(page) {
  const phone = await page
    .context()
    .browser()
    .newPage({ viewport: { width: 390, height: 844 } });
  const requests = new Set();
  phone.on('request', (request) => requests.add(request.url()));
  await phone.addInitScript(e2e.recordShifts);
  await phone.goto(`${e2e.url}/system`, { timeout: RENDER_MS });
  await phone.locator(byTestId('service')).first().waitFor({ timeout: RENDER_MS });
  const shift = await e2e.assertStill(phone);
  await phone.close();
  return { requests: loadingRequests(requests), shift };
}

/** llm-service and the providers. */
async function checkModels(page) {
  await e2e.step('it shows that llm-service answers, and that no service is missing', async () => {
    const service = page.locator(`${byTestId('service')}[data-service="llm-service"]`);
    await service.filter({ hasText: '1 / 1 replica' }).waitFor({ timeout: RENDER_MS });
    const bad = page.locator(byTestId('services')).getByText(/^(Unavailable|Degraded)$/);
    assert.equal(await bad.count(), 0);
  });
  await e2e.step('it shows the calls of the provider that was used', async () => {
    const calls = page.locator(byTestId('provider-calls'));
    await calls
      .filter({ hasText: /\d+ calls? in the last hour, \d+ failed/ })
      .first()
      .waitFor();
  });
}

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
  await e2e.step('it shows the queue, PostgreSQL, and the lag of each consumer', async () => {
    const queue = page.locator(byTestId('queue'));
    await queue.filter({ hasText: 'Queued' }).filter({ hasText: 'Connections' }).waitFor();
    const work = page.locator(byTestId('stream')).filter({ hasText: 'TARSY_WORK' });
    await work.filter({ hasText: /orchestrator-session: \d+ pending/ }).waitFor();
  });
  await e2e.step('it shows which providers are usable', async () => {
    const usable = page.locator(byTestId('provider')).filter({ hasText: 'Usable' });
    await usable.first().waitFor();
  });
  await checkModels(page);
  await e2e.step('it is loaded with few requests, and does not move', async () => {
    const { requests, shift } = await measure(page);
    assert(requests.length <= MAX_REQUESTS, requests.join(' '));
    return `${requests.length} requests, ${shift}`;
  });
  await e2e.step('it shows the configuration with the source of each value', async () => {
    const panel = page.locator(byTestId('configuration'));
    await panel.getByRole('button', { name: /Every setting/ }).click();
    await panel.getByRole('textbox').fill('queue.');
    const entry = panel.locator(byTestId('config-entry')).filter({ hasText: 'worker_count' });
    await entry.filter({ hasText: /default|tarsy\.yaml:\d+/ }).waitFor();
    await panel.getByRole('textbox').fill('TARSY_HTTP_ADDR');
    await panel
      .locator(`${byTestId('config-entry')}[data-source]`)
      .first()
      .waitFor();
  });
  await e2e.accessibilityStep(page, 'the system page', 'system.png');
});
