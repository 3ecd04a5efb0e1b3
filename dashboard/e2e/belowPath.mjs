/**
 * A TARSy below a path of a host that it shares: pages, their files, the API, the WebSocket and links.
 *
 * TARSY_URL needs a path, behind a proxy that serves nothing else. TARSY_ALERT_TYPE needs a chain that ends by itself.
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS, url } = e2e;
const base = new URL(url).pathname;

/** The addresses of the host that were asked and are not below the path. */
function outsideOf(page) {
  const outside = [];
  const note = (address) => {
    const { host, pathname } = new URL(address);
    if (host === new URL(url).host && !pathname.startsWith(`${base}/`)) outside.push(address);
  };
  page.on('request', (request) => note(request.url()));
  page.on('websocket', (socket) => note(socket.url()));
  return outside;
}

await e2e.run('belowPath', async (page) => {
  assert(base.length > 1, `${url} has no path`);
  const outside = outsideOf(page);
  const sockets = [];
  page.on('websocket', (socket) => sockets.push(socket.url()));
  await e2e.step('each page of the bar is below the path', async () => {
    await page.goto(`${url}/`, { timeout: RENDER_MS });
    for (const [link, path] of [
      ['Overview', '/overview'],
      ['System', '/system'],
      ['Sessions', ''],
    ]) {
      await page.getByRole('link', { name: link, exact: true }).first().click();
      // The router writes the first page without a slash at its end.
      const isThere = ({ href }) => href.replace(/\/$/, '') === `${url}${path}`;
      await page.waitForURL(isThere, { timeout: RENDER_MS });
      await page.locator('#main').waitFor({ timeout: RENDER_MS });
    }
  });
  await e2e.step('an alert is submitted, and its investigation is followed live', async () => {
    await e2e.completeSession(page, e2e.alertType, 'The disk is full');
    assert(page.url().startsWith(`${url}/sessions/`), page.url());
    assert(sockets.length > 0, 'no WebSocket was opened');
  });
  await e2e.step('the address of a session leads to it', async () => {
    await page.reload({ timeout: RENDER_MS });
    await page.locator(byTestId('session-page')).waitFor({ timeout: RENDER_MS });
    await e2e.assertSessionEnds(page, 'completed');
  });
  await e2e.step('nothing was asked that is not below the path', () => {
    assert.deepEqual(outside, []);
  });
});
