/**
 * A TARSy that nobody has configured: what is not set up is no warning, examples say why they cannot work, the form chooses
 * what works here, the recorded incident can be watched, and banners stay dismissed.
 *
 * TARSY_URL needs a TARSy without keys and without a cluster, as `tarsy up` starts it.
 * TARSY_UNSET     the tool server that comes with TARSy and is not set up (default kubernetes-server)
 * TARSY_UNUSABLE  the alert type, and the example, that need it (default kubernetes)
 * TARSY_USABLE    the alert type that works on every machine (default host)
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, INVESTIGATION_MS, RENDER_MS } = e2e;
const unset = e2e.setting('TARSY_UNSET', 'kubernetes-server');
const unusable = e2e.setting('TARSY_UNUSABLE', 'kubernetes');
const usable = e2e.setting('TARSY_USABLE', 'host');
const offlineBanner = byTestId('offline-banner');
const warningBanner = byTestId('warning-banner');

const cardOf = (page, server) =>
  page
    .locator(byTestId('mcp-server'))
    .filter({ has: page.getByRole('heading', { name: server, exact: true }) });

async function checkServers(page) {
  await e2e.step('a server that nobody set up is not configured', async () => {
    await page.goto(`${e2e.url}/system`, { timeout: RENDER_MS });
    const card = cardOf(page, unset);
    await card.getByText('Not configured', { exact: true }).waitFor({ timeout: INVESTIGATION_MS });
    const text = await card.innerText();
    assert.match(text, /Built in, not set up/);
    assert(!/unhealthy/i.test(text), text);
    await cardOf(page, usable).getByText('Healthy', { exact: true }).waitFor();
  });
  await e2e.step('that is no warning', async () => {
    await page.locator(byTestId('warnings')).getByText('No active warnings.').waitFor();
    await page.getByRole('link', { name: 'Sessions', exact: true }).first().click();
    await page.locator(offlineBanner).waitFor({ timeout: RENDER_MS });
    assert.equal(await page.locator(warningBanner).count(), 0);
  });
  await e2e.accessibilityStep(page, 'the first page', 'first-run.png');
}

async function checkBanner(page) {
  await e2e.step('the banner leads to what a model needs', async () => {
    await page.getByRole('button', { name: 'How to set an API key' }).click();
    const help = page.locator(byTestId('key-help'));
    await help.getByText('OPENAI_API_KEY').waitFor();
    await e2e.assertAccessible(page);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
  });
  await e2e.step('it is dismissed', async () => {
    await page.locator(offlineBanner).getByRole('button', { name: 'Dismiss' }).click();
    await page.locator(offlineBanner).waitFor({ state: 'detached' });
  });
}

async function checkForm(page) {
  const type = page.locator(byTestId('alert-type-input'));
  const exampleOf = (name) => page.locator(`${byTestId('example-alert')}[data-example="${name}"]`);
  const asked = [];
  page.on('request', (request) => {
    if (request.url().includes('/system/default-tools')) asked.push(request.url());
  });
  await e2e.step('an example that cannot work says why', async () => {
    await page.getByRole('link', { name: 'Submit', exact: true }).click();
    const problem = exampleOf(unusable).locator(byTestId('example-problem'));
    await problem.waitFor({ timeout: RENDER_MS });
    const text = await problem.innerText();
    assert(text.includes(unset), text);
    assert.equal(await exampleOf(usable).locator(byTestId('example-problem')).count(), 0);
    return text;
  });
  await e2e.step(
    'the form chooses a type that works here, and warns of one that does not',
    async () => {
      await page.waitForFunction(
        ([selector, expected]) => document.querySelector(selector)?.value === expected,
        [byTestId('alert-type-input'), usable],
      );
      await e2e.eventually('its tools are asked for', () => asked.length > 0);
      assert.deepEqual(
        asked.map((each) => new URL(each).searchParams.get('alert_type')),
        [usable],
      );
      await e2e.choose(page, 'Alert type', unusable);
      await page
        .getByText(new RegExp(`^None of its tool servers can be used \\(${unset}\\)`))
        .last()
        .waitFor();
      await e2e.choose(page, 'Alert type', usable);
      assert.equal(await type.inputValue(), usable);
    },
  );
  await e2e.accessibilityStep(page, 'the form', 'first-submit.png');
}

async function checkInvestigation(page) {
  await e2e.step('an alert is investigated with tools, without a choice by the user', async () => {
    await page.goto(`${e2e.url}/submit`, { timeout: RENDER_MS });
    await page.locator(byTestId('alert-data-input')).fill('Load is high on this machine');
    await page.waitForFunction(
      ([selector, expected]) => document.querySelector(selector)?.value === expected,
      [byTestId('alert-type-input'), usable],
    );
    await e2e.submitForm(page);
    const call = page.locator(`${byTestId('tool-card')}[data-status="completed"]`).first();
    await call.waitFor({ timeout: INVESTIGATION_MS });
    return call.getAttribute('aria-label');
  });
}

async function checkDemo(page) {
  await e2e.step('a recorded incident is investigated live, and labelled', async () => {
    await page.goto(`${e2e.url}/submit`, { timeout: RENDER_MS });
    await page.locator(byTestId('start-demo')).click();
    await page.locator(byTestId('recorded')).waitFor({ timeout: RENDER_MS });
    const call = page.locator(`${byTestId('tool-card')}[data-status="completed"]`).first();
    await call.waitFor({ timeout: INVESTIGATION_MS });
    return call.getAttribute('aria-label');
  });
  await e2e.accessibilityStep(page, 'the recorded incident', 'demo.png');
  return e2e.sessionIdOf(page);
}

/** What broke the recorded incident: a variable with the address of another port. */
async function checkFinding(page, id) {
  await e2e.step('the recorded incident has the right finding, within seconds', async () => {
    await page.goto(`${e2e.url}/sessions/${id}`, { timeout: RENDER_MS });
    await e2e.assertSessionEnds(page, 'completed');
    await page
      .locator(byTestId('verdict'))
      .getByText(/PAYMENTS_URL/)
      .first()
      .waitFor({ timeout: RENDER_MS });
    const { created_at: from, completed_at: to } = await e2e.send('GET', `/sessions/${id}`);
    const value = Math.round((Date.parse(to) - Date.parse(from)) / 100) / 10;
    e2e.measure('from the click to the finding', { value, unit: 's', atMost: 15 });
    return `${value} s`;
  });
  // The picture of the README.
  await e2e.screenshotView(page, 'finding.png');
}

async function checkDismissal(page) {
  await e2e.step('the banner stays dismissed on a page that is loaded anew', async () => {
    // Another browser shows it: it is still true.
    const other = await (await page.context().browser().newContext()).newPage();
    const elsewhere = other.goto(`${e2e.url}/`, { timeout: RENDER_MS });
    const notices = page.waitForResponse(/\/system\/warnings$/, { timeout: RENDER_MS });
    const info = page.waitForResponse(/\/system\/info$/, { timeout: RENDER_MS });
    await page.goto(`${e2e.url}/`, { timeout: RENDER_MS });
    await Promise.all([notices, info, elsewhere]);
    await other.locator(offlineBanner).waitFor({ timeout: RENDER_MS });
    await other.context().close();
    assert.equal(await page.locator(offlineBanner).count(), 0, 'the banner is shown again');
  });
}

await e2e.run('firstRun', async (page) => {
  await checkServers(page);
  await checkBanner(page);
  await checkForm(page);
  await checkInvestigation(page);
  const session = page.url();
  const demo = await checkDemo(page);
  await checkDismissal(page);
  await checkFinding(page, demo);
  await e2e.step('the investigation completes with findings', async () => {
    await page.goto(session, { timeout: RENDER_MS });
    await e2e.assertSessionEnds(page, 'completed');
    await page.locator(byTestId('final-analysis')).waitFor({ timeout: RENDER_MS });
  });
});
