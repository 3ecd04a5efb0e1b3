/**
 * What an alert is about: its title, severity, service, namespace, cluster in the list, the head of its page and the
 * title of the tab; the history of alerts with the same fingerprint.
 *
 * TARSY_ALERT_TYPE needs a chain that calls a tool and writes a text.
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;
const word = Date.now().toString(36);
const title = `Disk of db-${word} is full`;
const dashboard = `https://grafana.example.com/d/${word}`;
const alert = {
  alert_type: e2e.alertType,
  data: 'The disk is full',
  title,
  severity: 'CRITICAL',
  service: 'payments',
  namespace: 'shop',
  cluster: 'eu-1',
  links: [{ title: 'Disk dashboard', url: dashboard }],
  fingerprint: `disk-${word}`,
};
const place = 'payments · namespace shop · cluster eu-1';

const waitForTitle = (page, expected) =>
  page.waitForFunction((text) => document.title.startsWith(text), expected, {
    timeout: e2e.INVESTIGATION_MS,
  });

/** Severity, place and type, wherever they stand together. */
async function checkFacts(part) {
  const severity = await part.locator(byTestId('severity')).innerText();
  assert.equal(severity, 'critical');
  assert.equal(await part.locator(byTestId('alert-place')).innerText(), place);
}

async function checkPage(page) {
  await e2e.step('the tab says what is investigated, and how far it is', async () => {
    await e2e.pauseModel();
    await e2e.openAlert(page, alert);
    await waitForTitle(page, `In progress: ${title}`);
    await e2e.resumeModel();
    await waitForTitle(page, `Completed: ${title}`);
    return page.title();
  });
  await e2e.step('the head of the page has title, severity, place, type and link', async () => {
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), title);
    const identity = page.locator(byTestId('alert-identity'));
    await checkFacts(identity);
    const text = await identity.innerText();
    assert(text.includes(e2e.alertType), `no alert type: ${text}`);
    const link = identity.getByRole('link', { name: 'Disk dashboard' });
    const [href, target, rel] = await link.evaluate((each) => [each.href, each.target, each.rel]);
    assert.deepEqual([href, target, rel], [dashboard, '_blank', 'noopener noreferrer']);
  });
}

const rowOf = (page, id) => page.locator(`${byTestId('session-row')}[data-session-id="${id}"]`);

async function checkList(page, first, second) {
  await e2e.step('the list has the same, and counts the earlier sessions', async () => {
    await page.goto(`${e2e.url}/`, { timeout: RENDER_MS });
    const row = rowOf(page, second);
    await row.getByRole('link', { name: title, exact: true }).waitFor({ timeout: RENDER_MS });
    await checkFacts(row);
    await row.getByText('seen 1× before', { exact: true }).waitFor();
    // The first session is folded into the second one.
    await row.getByRole('button', { name: /of this alert$/ }).click();
    await rowOf(page, first).waitFor();
    const seen = await rowOf(page, first)
      .getByText(/^seen /)
      .count();
    assert.equal(seen, 0, 'the first session was seen before');
  });
}

async function checkHistory(page, first, second) {
  await e2e.step('the page of the second session leads to the first one', async () => {
    await page.goto(`${e2e.url}/sessions/${second}`, { timeout: RENDER_MS });
    const seen = page.locator(byTestId('seen-before'));
    await seen.getByRole('button', { name: '1 earlier session of the same alert' }).click();
    const earlier = seen.getByRole('list', { name: 'Earlier sessions of the same alert' });
    await earlier.getByRole('link').first().waitFor({ timeout: RENDER_MS });
    await e2e.assertAccessible(page);
    await e2e.screenshot(page, 'seen-before.png');
    await earlier.getByRole('link').first().click();
    await page.waitForURL(new RegExp(`/sessions/${first}`), { timeout: RENDER_MS });
    await page.locator(byTestId('session-id')).filter({ hasText: first }).waitFor();
    assert.equal(await page.locator(byTestId('seen-before')).count(), 0);
  });
}

async function checkRerun(page) {
  await e2e.step('a re-run is the same alert', async () => {
    await page.locator(byTestId('resubmit')).click();
    await page.locator(byTestId('resubmission-notice')).getByRole('link').waitFor();
    const id = await e2e.submitForm(page);
    await checkFacts(page.locator(byTestId('alert-identity')));
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), title);
    await e2e.assertSessionEnds(page, 'completed');
    const session = await e2e.send('GET', `/sessions/${id}`);
    assert.equal(session.fingerprint, alert.fingerprint);
    assert.equal(session.earlier_sessions.count, 2);
  });
}

await e2e.run('identity', async (page) => {
  let first;
  await e2e.step('an alert is investigated', async () => {
    first = await e2e.investigate(page, alert);
  });
  await checkPage(page);
  const second = e2e.sessionIdOf(page);
  await checkList(page, first, second);
  await checkHistory(page, first, second);
  await checkRerun(page);
});
