/**
 * The list of finished sessions: it opens without filters, and each filter leaves the sessions that pass it.
 *
 * TARSY_DEGRADED  alert type whose findings are degraded, because its agent has no tools (default plain)
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;
const degradedType = e2e.setting('TARSY_DEGRADED', 'plain');
const host = `web-${Date.now().toString(36)}`;

async function prepare(page) {
  const data = `Disk of ${host} is full`;
  const id = await e2e.investigate(page, { alert_type: e2e.alertType, data, severity: 'critical' });
  await e2e.send('PUT', `/sessions/${id}/review`, { review: 'accurate' });
  const other = await e2e.investigate(page, { alert_type: degradedType, data, severity: 'info' });
  return { id, other };
}

const rowOf = (page, id) =>
  page.locator(byTestId('session-row')).filter({ has: page.locator(`a[href*="${id}"]`) });
const isListed = (page, id) => rowOf(page, id).waitFor({ timeout: RENDER_MS });
const isNotListed = (page, id) => rowOf(page, id).waitFor({ state: 'detached' });

async function openFilters(page) {
  const toggle = page.locator(byTestId('filters-toggle'));
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
}

async function choose(page, name, option) {
  await openFilters(page);
  await e2e.choose(page, name, option);
}

async function type(page, name, text) {
  await openFilters(page);
  const field = page.getByRole('combobox', { name, exact: true });
  await field.fill(text);
  await field.press('Enter');
}

/** Sets a filter, asserts which of the two sessions are left, and opens the list at its plain address. */
async function narrows(page, { id, other }, { set, finds }) {
  await page.goto(`${e2e.url}/?q=${host}`, { timeout: RENDER_MS });
  await isListed(page, id);
  await isListed(page, other);
  await set();
  await (finds.includes(id) ? isListed(page, id) : isNotListed(page, id));
  await (finds.includes(other) ? isListed(page, other) : isNotListed(page, other));
  const query = new URL(page.url()).search;
  await page.goto(`${e2e.url}/`, { timeout: RENDER_MS });
  await isListed(page, id);
  await isListed(page, other);
  assert.equal(new URL(page.url()).search, '', 'the list opened with filters');
  return query;
}

async function checkFilters(page, sessions) {
  const { id, other } = sessions;
  const pressDegraded = async () => {
    await openFilters(page);
    await press('Degraded only')();
  };
  const press = (name) => () => page.getByRole('button', { name, exact: true }).click();
  const filters = [
    ['alert type', { set: () => choose(page, 'Alert type', degradedType), finds: [other] }],
    ['chain', { set: () => choose(page, 'Chain', degradedType), finds: [other] }],
    ['severity', { set: () => type(page, 'Severity', 'critical'), finds: [id] }],
    ['author', { set: () => type(page, 'Author', 'nobody'), finds: [] }],
    ['status', { set: press('Failed'), finds: [] }],
    ['review', { set: () => choose(page, 'Review', 'Accurate'), finds: [id] }],
    ['no review', { set: () => choose(page, 'Review', 'Not reviewed'), finds: [other] }],
    ['degraded findings', { set: pressDegraded, finds: [other] }],
    ['the last hour', { set: () => choose(page, 'Time', 'Last hour'), finds: [id, other] }],
  ];
  for (const [name, filter] of filters) {
    await e2e.step(`the list is filtered by ${name}, and opens without filters afterwards`, () =>
      narrows(page, sessions, filter),
    );
  }
  await e2e.step('the list is filtered by two times', async () => {
    const between = async () => {
      await choose(page, 'Time', 'Between two times');
      await page.getByLabel('From', { exact: true }).fill('2020-01-01T08:00');
      await page.getByLabel('To', { exact: true }).fill('2020-01-01T09:30');
      await e2e.assertAccessible(page);
    };
    return narrows(page, sessions, { set: between, finds: [] });
  });
}

await e2e.run('history', async (page) => {
  let sessions;
  await e2e.step('two sessions and a review', async () => {
    sessions = await prepare(page);
  });
  await checkFilters(page, sessions);
});
