/**
 * The marks of findings that cannot be relied on, session by session.
 *
 * TARSY_SESSIONS  a JSON list of sessions: `name` and `session`; `claim` and `verdict` of a claim that must be
 *                 marked, or `reason`, why the findings need a second look; without these nothing may be marked
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId } = e2e;
const sessions = JSON.parse(e2e.setting('TARSY_SESSIONS', '[]'));
const flagged = ['supported_elsewhere', 'unsupported', 'contradicted', 'no_such_call'];
const badge = (page) =>
  page.locator(`${byTestId('findings-status')} ${byTestId('degraded-badge')}`);

async function open(page, { session }) {
  await page.goto(`${e2e.url}/sessions/${session}`, { timeout: e2e.RENDER_MS });
  await e2e.assertSessionEnds(page, 'completed');
  await page.locator(byTestId('findings-status')).waitFor();
}

async function checkMark(page, { claim, verdict }) {
  await badge(page).waitFor();
  await page
    .getByText(/^\d+ of \d+ quotes? found in tool results$/)
    .first()
    .waitFor();
  const mark = page
    .locator(`${byTestId('claim')}[data-verdict="${verdict}"]`)
    .filter({ hasText: claim });
  await mark.first().waitFor();
  const button = page.getByRole('button', { name: claim }).first();
  await button.focus();
  return button.getAttribute('aria-label');
}

async function checkReason(page, { reason }) {
  const text = await badge(page).innerText();
  assert(text.includes(reason), text);
  return text.replaceAll('\n', ' ');
}

async function checkNothing(page) {
  const counted = await page
    .getByText(/^\d+ of \d+ quotes found in tool results$/)
    .first()
    .innerText();
  const [verified, total] = counted.match(/\d+/g);
  assert(verified === total, counted);
  assert((await badge(page).count()) === 0, 'the session is marked as degraded');
  for (const verdict of flagged) {
    const marks = await page.locator(`${byTestId('claim')}[data-verdict="${verdict}"]`).count();
    assert(marks === 0, `${marks} claims are ${verdict}`);
  }
  return counted;
}

await e2e.run('findings', async (page) => {
  assert(sessions.length > 0, 'TARSY_SESSIONS names no session');
  for (const one of sessions) {
    await e2e.step(`a model that ${one.name}`, async () => {
      await open(page, one);
      if (one.verdict) return checkMark(page, one);
      return one.reason ? checkReason(page, one) : checkNothing(page);
    });
  }
  await open(page, sessions[0]);
  await e2e.accessibilityStep(page, 'a page with marks', 'findings.png');
});
