/**
 * Sessions that wait: their position in the queue, which moves on by itself, in the list and on the page of a session. Then texts
 * that are written from the right or reorder what stands beside them, and the note below what a model wrote.
 *
 * TARSY_ALERT_TYPE  needs a chain whose model can be paused
 * TARSY_WORKERS     how many sessions run at the same time (default 4)
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, INVESTIGATION_MS, RENDER_MS } = e2e;
const workers = Number(e2e.setting('TARSY_WORKERS', '4'));
/** As it is stored: the override shows what follows it backwards. */
const title = 'הדיסק של db-1 מלא \u202egpj.exe';
const shownTitle = 'הדיסק של db-1 מלא [U+202E]gpj.exe';

const submit = async (data) =>
  (await e2e.send('POST', '/alerts', { alert_type: e2e.alertType, data })).session_id;

/** Submits alerts until all workers are busy and two sessions wait. Returns the IDs of all, and of those that wait. */
async function fillQueue() {
  const ids = [];
  while (ids.length < workers + 2) ids.push(await submit(`The disk of db-${ids.length} is full`));
  let waiting = [];
  await e2e.eventually(`${workers} sessions run and two wait`, async () => {
    const { active, queued } = await e2e.send('GET', '/sessions/active');
    waiting = queued.map(({ id }) => id);
    return active.length === workers && waiting.length === 2;
  });
  return { ids, waiting };
}

async function checkQueue(page) {
  let ids;
  let waiting;
  await e2e.step('two sessions wait while the model of the others is busy', async () => {
    await e2e.pauseModel();
    ({ ids, waiting } = await fillQueue());
  });
  const second = waiting[1];
  await e2e.step('the list shows the positions of those that wait', async () => {
    await page.goto(`${e2e.url}/`, { timeout: RENDER_MS });
    await page.locator(byTestId('active-session')).first().waitFor();
    const more = page.locator(byTestId('queue-toggle'));
    if ((await more.count()) > 0) await more.click();
    for (const [index, id] of waiting.entries()) {
      const row = page.locator(`${byTestId('active-session')}[data-session-id="${id}"]`);
      await row.getByText(`Queue position ${index + 1}`, { exact: true }).waitFor();
    }
  });
  await e2e.step('the system page and the overview count those that wait and run', async () => {
    await page.goto(`${e2e.url}/system`, { timeout: RENDER_MS });
    const queue = page.locator(byTestId('queue'));
    await queue.filter({ hasText: /2, the oldest .+ ago/ }).waitFor({ timeout: RENDER_MS });
    await queue
      .locator(byTestId('lease'))
      .nth(workers - 1)
      .waitFor();
    await page.goto(`${e2e.url}/overview`, { timeout: RENDER_MS });
    await page.getByRole('link', { name: '2 queued sessions', exact: true }).waitFor();
    await page.getByRole('link', { name: `${workers} running sessions`, exact: true }).waitFor();
  });
  await e2e.step('the page of a session says its position, and that it moves on', async () => {
    await page.goto(`${e2e.url}/sessions/${second}`, { timeout: RENDER_MS });
    const status = page.locator(byTestId('live-status'));
    await status.getByText('Queued at position 2, waiting for a worker.').waitFor();
    await e2e.send('POST', `/sessions/${waiting[0]}/cancel`);
    await status.getByText('Queued at position 1, waiting for a worker.').waitFor();
  });
  await e2e.accessibilityStep(page, 'a session that waits', 'queued.png');
  await e2e.step('it begins and ends without a reload', async () => {
    await e2e.resumeModel();
    await e2e.assertSessionEnds(page, 'completed');
    const left = ids.filter((id) => id !== waiting[0]);
    const over = async (id) => (await e2e.send('GET', `/sessions/${id}`)).status === 'completed';
    await e2e.eventually(
      'the others end, too',
      async () => (await Promise.all(left.map(over))).every(Boolean),
      INVESTIGATION_MS,
    );
  });
}

async function checkTexts(page) {
  await e2e.step(
    'text from the right begins there, and nothing reorders what stands beside it',
    async () => {
      const data = `${title}\nand more`;
      await e2e.investigate(page, { alert_type: e2e.alertType, title, data });
      const heading = page.getByRole('heading', { level: 1 });
      assert.equal(await heading.innerText(), shownTitle);
      const alert = page.locator(byTestId('alert-data'));
      await alert.getByRole('button', { expanded: false }).first().click();
      const block = alert.getByRole('group', { name: 'Alert data' });
      await block.waitFor();
      const direction = await block.evaluate((each) => getComputedStyle(each).direction);
      assert.equal(direction, 'rtl');
      assert(!(await page.locator('body').innerText()).includes('\u202e'), 'an override is shown');
    },
  );
  await e2e.step('what a model wrote says that it is to be verified', async () => {
    const notes = page.getByText('AI-generated. Verify before you act.', { exact: true });
    await notes.first().waitFor();
    return `${await notes.count()} notes`;
  });
}

await e2e.run('queue', async (page) => {
  await checkQueue(page);
  await checkTexts(page);
});
