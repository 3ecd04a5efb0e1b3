/**
 * Tool calls with progress, masking and policy; the trace; and the warning of an unavailable tool server.
 *
 * TARSY_ALERT_TYPE needs an agent with one call that reports progress and one that the policy refuses.
 * TARSY_PROGRESS  progress message of the first call (default "reading look disk")
 * TARSY_CALL_END  file whose creation ends the first call; without it the call ends by itself
 * TARSY_BROKEN    the unavailable tool server (default broken)
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import * as e2e from './harness.mjs';

const { byTestId, INVESTIGATION_MS, RENDER_MS } = e2e;
const progress = e2e.setting('TARSY_PROGRESS', 'reading look disk');
const callEnd = e2e.setting('TARSY_CALL_END');
const broken = e2e.setting('TARSY_BROKEN', 'broken');

async function checkWarnings(page) {
  const banner = page.locator(byTestId('warning-banner'));
  await e2e.step('a banner warns about the unavailable server', async () => {
    await page.goto(`${e2e.url}/`, { timeout: RENDER_MS });
    await banner.filter({ hasText: broken }).waitFor({ timeout: INVESTIGATION_MS });
  });
  await e2e.accessibilityStep(page, 'the page with the banner', 'warning.png', { fullPage: false });
  await e2e.step('its link opens the warning on the system page', async () => {
    await banner.getByRole('link', { name: 'View warnings' }).click();
    const warning = page.locator(byTestId('warnings')).filter({ hasText: broken });
    await warning.waitFor({ timeout: RENDER_MS });
    await banner.waitFor({ state: 'detached' });
  });
  await e2e.step('the warning is there once, with what to do', async () => {
    const card = page.locator(byTestId('warning')).filter({ hasText: broken });
    assert.equal(await card.count(), 1);
    return card.locator(byTestId('warning-advice')).innerText();
  });
  await e2e.step('the banner can be dismissed', async () => {
    await page.goBack();
    await banner.getByRole('button', { name: 'Dismiss' }).click({ timeout: RENDER_MS });
    await banner.waitFor({ state: 'detached' });
  });
}

async function watchCalls(page) {
  await e2e.step('an alert is submitted', () =>
    e2e.submitAlert(page, e2e.alertType, 'The ledger is full'),
  );
  await e2e.step('a running call shows its progress', async () => {
    const message = page.locator(byTestId('tool-progress')).filter({ hasText: progress });
    await message.waitFor({ timeout: INVESTIGATION_MS });
    return message.innerText();
  });
  await e2e.screenshotView(page, 'progress.png');
  if (callEnd) await writeFile(callEnd, '');
  await e2e.step('the session completes', () => e2e.assertSessionEnds(page, 'completed'));
}

/** The only timeline item with a tool call that has the badge. */
async function itemWithBadge(page, badge) {
  const items = page
    .locator(e2e.timelineItem)
    .filter({ has: page.locator(byTestId('tool-card')) })
    .filter({ has: page.locator(byTestId(badge)) });
  await items.first().waitFor();
  const count = await items.count();
  assert(count === 1, `${count} calls have the ${badge}`);
  return items;
}

async function checkBadges(page) {
  await e2e.step('the refused call shows the reason', async () => {
    const item = await itemWithBadge(page, 'refused-badge');
    const text = await item.innerText();
    assert(text.includes('Refused by policy') && text.includes('was not called'), text);
    const masked = await item.locator(byTestId('masked-badge')).count();
    assert(masked === 0, 'it has the badge of a masked call');
  });
  await e2e.step('the other call is masked, and no secret is on the page', async () => {
    const item = await itemWithBadge(page, 'masked-badge');
    const text = await item.innerText();
    assert(/Masked: \d+/.test(text) && text.includes('[MASKED'), text);
    const body = await page.locator('body').innerText();
    assert(!body.includes('sk-planted'), 'the planted secret is on the page');
    await page.locator(byTestId('tool-progress')).first().waitFor({ state: 'detached' });
  });
  await e2e.step('what was not examined is listed, and its link looks failed', async () => {
    const panel = page.locator(byTestId('not-examined'));
    const count = page.getByRole('link', { name: /^Not examined: \d+$/ });
    await count.click();
    await page.waitForFunction((id) => document.activeElement?.id === id, 'not-examined');
    const gap = panel.getByRole('listitem').filter({ hasText: 'was refused by policy' });
    const link = gap.locator(byTestId('citation'));
    const [failed, line, sign] = await link.evaluate((each) => [
      each.dataset.failed,
      getComputedStyle(each).textDecorationStyle,
      each.querySelector('svg') !== null,
    ]);
    assert.deepEqual([failed, line, sign], ['true', 'dashed', true]);
    return gap.innerText();
  });
  await e2e.accessibilityStep(page, 'the session page', 'badges.png');
}

const rowOf = (page, kind) => page.locator(`${byTestId('trace-row')}[data-kind="${kind}"]`);

const expand = (row) => row.locator('button[aria-expanded="false"]').first().click();

async function checkTrace(page) {
  await e2e.step('the trace has LLM calls, tool calls and tool lists', async () => {
    await page.locator(byTestId('trace-link')).click();
    for (const kind of ['llm', 'tool_call', 'tool_list']) await rowOf(page, kind).first().waitFor();
    return page.locator(byTestId('trace-totals')).innerText();
  });
  await e2e.step('an LLM call has its full conversation', async () => {
    const call = rowOf(page, 'llm').first();
    await expand(call);
    await call.locator(byTestId('llm-detail')).waitFor();
    const role = await call.locator(byTestId('trace-message')).last().getAttribute('data-role');
    assert(role === 'assistant', `the last message has the role ${role}`);
  });
  await e2e.step('a tool list has its tools, and a tool call its result', async () => {
    const list = rowOf(page, 'tool_list').first();
    await expand(list);
    await list.locator(byTestId('available-tools')).filter({ hasText: 'look' }).waitFor();
    const call = rowOf(page, 'tool_call')
      .filter({ hasNot: page.locator(byTestId('refused-badge')) })
      .first();
    await expand(call);
    await call.locator(byTestId('mcp-detail')).filter({ hasText: '[MASKED' }).waitFor();
  });
  await e2e.accessibilityStep(page, 'the trace', 'trace.png');
}

async function filterTrace(page) {
  const row = page.locator(byTestId('trace-row'));
  await page.getByRole('button', { name: 'Failed', exact: true }).click();
  await page
    .locator(`${byTestId('trace-row')}[data-failed="false"]`)
    .first()
    .waitFor({ state: 'detached' });
  await row.filter({ has: page.locator(byTestId('refused-badge')) }).waitFor();
}

await e2e.run('calls', async (page) => {
  await checkWarnings(page);
  await watchCalls(page);
  await checkBadges(page);
  await checkTrace(page);
  await e2e.step('the filter for failed calls shows the refused call', () => filterTrace(page));
});
