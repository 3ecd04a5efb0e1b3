/**
 * The overview: its numbers lead to lists with as many sessions, its charts have patterns and the same numbers as tables.
 *
 * TARSY_DEGRADED  alert type whose findings are degraded and whose tool call fails (default plain)
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;
const degradedType = e2e.setting('TARSY_DEGRADED', 'plain');
const outcomeChart = byTestId('outcome-chart');
const word = Date.now().toString(36);
const alert = {
  alert_type: e2e.alertType,
  data: 'The disk is full',
  title: `Disk of ov-${word} is full`,
  fingerprint: `overview-${word}`,
};

async function open(page) {
  await page.goto(`${e2e.url}/overview`, { timeout: RENDER_MS });
  await page.locator(byTestId('overview-figures')).waitFor({ timeout: RENDER_MS });
}

const figure = (page, name) =>
  page.locator(`${byTestId('overview-figures')} dd`).getByRole('link', { name });

/** Follows a number, and asserts that the list has as many sessions. */
async function leadsToList(page, name) {
  await open(page);
  const count = await figure(page, name).innerText();
  await figure(page, name).click();
  const title = `History (${count} session${count === '1' ? '' : 's'})`;
  await page.getByRole('heading', { name: title, exact: true }).waitFor({ timeout: RENDER_MS });
  // The filters are folded; the period is one of those that are named.
  assert(new URL(page.url()).searchParams.has('from'), `no period: ${page.url()}`);
  await page.locator(byTestId('filters-toggle')).waitFor();
  return `${title}, ${new URL(page.url()).search}`;
}

/** Waits until the overview has counted every session that the list has: it counts the current hour once a second at most. */
async function waitForNumbers() {
  await e2e.eventually('the overview has counted all sessions', async () => {
    const { buckets, from, to } = await e2e.send('GET', '/overview');
    const period = new URLSearchParams({ start_date: from, end_date: to, page_size: 1 });
    const counts = ['completed', 'degraded'].map((name) =>
      buckets.reduce((total, bucket) => total + bucket[name], 0),
    );
    const lists = ['status=completed', 'degraded=true'].map((filter) =>
      e2e.send('GET', `/sessions?${period}&${filter}`),
    );
    const listed = (await Promise.all(lists)).map(({ pagination }) => pagination.total_items);
    return counts.join() === listed.join();
  });
}

/** Numbers count sessions that run; so do the lists that they lead to. */
async function checkOpen(page) {
  await e2e.step('a session that runs is in the number of sessions and in their list', async () => {
    await e2e.pauseModel();
    const running = {
      alert_type: e2e.alertType,
      data: 'The disk is full',
      title: `${alert.title}, still`,
    };
    const { session_id: id } = await e2e.send('POST', '/alerts', running);
    await e2e.eventually('the overview counts it', async () => {
      const { buckets } = await e2e.send('GET', '/overview');
      return buckets.some((bucket) => bucket.open > 0);
    });
    await leadsToList(page, /^\d+ sessions$/);
    const row = page.locator(`${byTestId('session-row')}[data-session-id="${id}"]`);
    await row.filter({ hasText: 'In progress' }).waitFor({ timeout: RENDER_MS });
    await page.locator(byTestId('filter-open')).waitFor();
    await e2e.resumeModel();
  });
}

async function checkNumbers(page) {
  for (const [subject, name] of [
    ['sessions', /^\d+ sessions$/],
    ['completed sessions', /completed$/],
    ['degraded sessions', /degraded$/],
  ]) {
    await e2e.step(`the number of ${subject} leads to their list`, () => leadsToList(page, name));
  }
  await e2e.step('each other number leads to a page, too', async () => {
    await open(page);
    const numbers = page.locator(`${byTestId('overview-figures')} dd`);
    const texts = await numbers.evaluateAll((all) =>
      all.filter((each) => each.querySelector('a') === null).map(({ textContent }) => textContent),
    );
    assert(
      texts.every((text) => ['0', '–'].includes(text)),
      `without a link: ${texts.join(', ')}`,
    );
    return `${await numbers.count()} numbers`;
  });
  await e2e.step('failed calls lead to the sessions that have them', async () => {
    const link = page.getByRole('link', { name: /failed calls of / }).first();
    const label = await link.getAttribute('aria-label');
    await link.click();
    await page.locator(byTestId('search-hit')).first().waitFor({ timeout: RENDER_MS });
    return label;
  });
}

async function checkAlerts(page) {
  await e2e.step('the most frequent alert leads to its sessions', async () => {
    await open(page);
    const link = page.getByRole('link', { name: `2 sessions of ${alert.title}`, exact: true });
    await link.click();
    await page.getByRole('heading', { name: 'History (2 sessions)', exact: true }).waitFor();
    const titles = page.locator(byTestId('session-row')).getByRole('link', { name: alert.title });
    await titles.nth(1).waitFor({ timeout: RENDER_MS });
    assert.equal(await titles.count(), 2);
  });
}

async function checkDegraded(page) {
  await e2e.step('degraded findings say so in the list, and on their page why', async () => {
    await page.goto(`${e2e.url}/?degraded=true`, { timeout: RENDER_MS });
    const row = page.locator(byTestId('session-row')).first();
    await row.locator(byTestId('degraded-badge')).waitFor({ timeout: RENDER_MS });
    await row.getByRole('link').first().click();
    const status = page.locator(byTestId('findings-status'));
    const reason = status
      .locator(byTestId('degraded-badge'))
      .filter({ hasText: /Degraded: .{20,}/ });
    await reason.waitFor();
    return reason.textContent();
  });
}

/** The scripted model has no price: the answer of the API gets one. */
async function checkCost(page) {
  await e2e.step('what sessions have cost is a number and a chart', async () => {
    const requests = /\/api\/v1\/overview\?/;
    await page.route(requests, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const used = json.buckets.findIndex(({ total_tokens: tokens }) => tokens > 0);
      json.buckets[used].cost_micro_usd = 1_230_000;
      await route.fulfill({ response, json });
    });
    await open(page);
    await page.getByRole('link', { name: '$1.23 cost', exact: true }).waitFor();
    const chart = page.locator(byTestId('cost-chart'));
    await chart.locator('figcaption').filter({ hasText: '$1.23' }).waitFor();
    await chart.locator('svg .MuiBarChart-element').first().waitFor({ timeout: RENDER_MS });
    await page.unroute(requests);
  });
}

/** The bars of a chart, with what they are filled with. */
const fillsOf = (page, chart) =>
  page.locator(`${chart} svg .MuiBarChart-element:not([height="0"])[fill^="url(#tarsy-outcome-"]`);

async function checkCharts(page) {
  await e2e.step('the chart tells outcomes apart without color', async () => {
    await open(page);
    await fillsOf(page, outcomeChart).first().waitFor({ timeout: RENDER_MS });
    const fills = await page
      .locator(`${outcomeChart} li rect`)
      .evaluateAll((all) => all.map((each) => each.getAttribute('fill')));
    assert.equal(new Set(fills).size, 5, fills.join());
    return `${fills.length} patterns`;
  });
  await e2e.step('its numbers are a sentence and a table', async () => {
    const summary = await page.locator(`${outcomeChart} figcaption`).innerText();
    assert.match(summary, /^\d+ sessions?: \d+ completed/);
    await page.locator(outcomeChart).getByText('Show as a table').click();
    const number = page.locator(outcomeChart).getByRole('link', { name: /Completed, from/ });
    await number.first().waitFor();
    return summary;
  });
  await e2e.accessibilityStep(page, 'the overview', 'overview.png');
  await e2e.step('a bar leads to the list of its sessions', async () => {
    await fillsOf(page, outcomeChart).first().click();
    await page.waitForURL(/\/\?from=.*&status=completed/);
    await page.locator(byTestId('session-row')).first().waitFor({ timeout: RENDER_MS });
  });
}

async function checkTimes(page) {
  await e2e.step('seven and thirty days are shown', async () => {
    await open(page);
    for (const name of ['7 days', '30 days']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page
        .locator(`${outcomeChart} svg .MuiBarChart-element:not([height="0"])`)
        .first()
        .waitFor();
      await page.waitForURL(/hours=/);
    }
    return new URL(page.url()).search;
  });
}

async function checkStates(page) {
  const requests = /\/api\/v1\/overview\?/;
  await e2e.step('an overview that failed says so, and can be tried again', async () => {
    await page.route(requests, (route) => route.abort());
    await page.goto(`${e2e.url}/overview`, { timeout: RENDER_MS });
    const error = page.locator(byTestId('error-state'));
    await error.filter({ hasText: 'Could not load the overview' }).waitFor();
    await page.unroute(requests);
    await error.getByRole('button').click();
    await page.locator(byTestId('overview-figures')).waitFor();
  });
}

await e2e.run('overview', async (page) => {
  await e2e.step('an alert is investigated twice, another one with degraded findings', async () => {
    await e2e.investigate(page, alert);
    await e2e.investigate(page, alert);
    await e2e.completeSession(page, degradedType, 'The disk is full');
    await waitForNumbers();
  });
  await checkNumbers(page);
  await checkAlerts(page);
  await checkDegraded(page);
  await checkCost(page);
  await checkCharts(page);
  await checkTimes(page);
  await checkOpen(page);
  await checkStates(page);
});
