/**
 * Two sessions that the search finds by one host, with a question and a review.
 *
 * TARSY_ALERT_TYPE  needs a chain with chat and a tool
 * TARSY_DEGRADED    alert type whose findings are degraded, because its agent has no tools (default plain)
 */
import * as e2e from './harness.mjs';

const { byTestId, INVESTIGATION_MS } = e2e;
export const degradedType = e2e.setting('TARSY_DEGRADED', 'plain');
export const word = Date.now().toString(36);
export const host = `db-${word}`;
export const hit = byTestId('search-hit');

async function ask(page, question) {
  await page.locator(byTestId('chat-question')).fill(question);
  await page.locator(byTestId('chat-send')).click();
  const isAnswered = async () => {
    const { stages } = await e2e.send('GET', `/sessions/${e2e.sessionIdOf(page)}`);
    return stages.some(({ chat_id, status }) => chat_id && status === 'completed');
  };
  await e2e.eventually('the question is answered', isAnswered, INVESTIGATION_MS);
}

async function prepareBoth(page) {
  const data = `Disk of ${host} is full`;
  const id = await e2e.investigate(page, { alert_type: e2e.alertType, data, severity: 'critical' });
  await ask(page, `Who rotates logs${word}?`);
  await e2e.send('PUT', `/sessions/${id}/review`, { review: 'accurate' });
  const other = await e2e.investigate(page, { alert_type: degradedType, data, severity: 'info' });
  return { id, other };
}

export const hitOf = (page, id) =>
  page.locator(hit).filter({ has: page.locator(`a[href*="${id}"]`) });

/** Waits until a session is found, or no longer. */
export const isFound = (page, id) => hitOf(page, id).first().waitFor();
export const isNotFound = (page, id) => hitOf(page, id).first().waitFor({ state: 'detached' });

/** The IDs of both, once they are there. */
export async function prepare(page) {
  let sessions;
  await e2e.step('two sessions, a question and a review', async () => {
    sessions = await prepareBoth(page);
  });
  return sessions;
}
