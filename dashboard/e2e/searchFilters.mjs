/** The filters of the search and its saved views. */
import * as e2e from './harness.mjs';
import { degradedType, host, isFound, isNotFound, prepare } from './searching.mjs';

const { byTestId, choose, RENDER_MS } = e2e;

async function type(page, label, text) {
  const field = page.getByRole('combobox', { name: label });
  await field.fill(text);
  await field.press('Enter');
}

/** Sets a filter and asserts which of the two sessions are left. */
async function narrows(page, { id, other }, { set, finds }) {
  await page.goto(`${e2e.url}/search?q=${host}`, { timeout: RENDER_MS });
  await isFound(page, id);
  await isFound(page, other);
  await set();
  await (finds.includes(id) ? isFound(page, id) : isNotFound(page, id));
  await (finds.includes(other) ? isFound(page, other) : isNotFound(page, other));
  const query = new URL(page.url()).search;
  await page.locator(byTestId('clear-filters')).click();
  await isFound(page, id);
  await isFound(page, other);
  return query;
}

async function checkFilters(page, sessions) {
  const { id, other } = sessions;
  const degraded = () => page.getByRole('button', { name: 'Degraded only' }).click();
  const filters = [
    ['chain', { set: () => choose(page, 'Chain', degradedType), finds: [other] }],
    ['severity', { set: () => type(page, 'Severity', 'critical'), finds: [id] }],
    ['author', { set: () => type(page, 'Author', 'nobody'), finds: [] }],
    ['status', { set: () => choose(page, 'Status', 'Failed'), finds: [] }],
    ['review', { set: () => choose(page, 'Review', 'Accurate'), finds: [id] }],
    ['no review', { set: () => choose(page, 'Review', 'Not reviewed'), finds: [other] }],
    ['degraded findings', { set: degraded, finds: [other] }],
    ['time', { set: () => choose(page, 'Time', 'Last hour'), finds: [id, other] }],
  ];
  for (const [name, filter] of filters) {
    await e2e.step(`results are filtered by ${name}`, () => narrows(page, sessions, filter));
  }
  await e2e.step('results are filtered by two times', async () => {
    const between = async () => {
      await choose(page, 'Time', 'Between two times');
      await page.getByLabel('From', { exact: true }).fill('2020-01-01T08:00');
      await page.getByLabel('To', { exact: true }).fill('2020-01-01T09:30');
    };
    return narrows(page, sessions, { set: between, finds: [] });
  });
}

async function checkViews(page, { id, other }) {
  await e2e.step('filters are saved as a view, and applied', async () => {
    await page.goto(`${e2e.url}/search?q=${host}&severity=critical`, { timeout: RENDER_MS });
    await isFound(page, id);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save these filters…' }).click();
    await e2e.assertAccessible(page);
    await page.getByLabel('Name of the current filters').fill('Critical');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator(byTestId('clear-filters')).click();
    await isFound(page, other);
    await page.reload();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Critical' }).click();
    await isNotFound(page, other);
    await isFound(page, id);
  });
}

await e2e.run('searchFilters', async (page) => {
  const sessions = await prepare(page);
  await checkFilters(page, sessions);
  await checkViews(page, sessions);
});
