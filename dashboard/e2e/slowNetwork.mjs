/** The first visit over a slow network, with a slow CPU: when a page shows what it is for. Measured best while nothing else runs. */
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;

/** Lighthouse's slow 4G, and a CPU that is four times slower. */
const SLOW = { latency: 150, throughput: 1_600_000 / 8, cpu: 4 };
const USABLE_MS = 3500;

/** The first visit: nothing is in the cache. A page is usable when it shows what it is for. */
async function checkSlowNetwork(page, id) {
  const slow = [
    { name: 'sessions', path: '/', shows: byTestId('session-row') },
    { name: 'session', path: `/sessions/${id}`, shows: byTestId('final-analysis') },
  ];
  for (const { name, path, shows } of slow) {
    await e2e.step(`${name} on slow 4G with a slow CPU`, async () => {
      const context = await page.context().browser().newContext();
      const visit = await context.newPage();
      const devtools = await context.newCDPSession(visit);
      const { latency, throughput, cpu: rate } = SLOW;
      const speed = { downloadThroughput: throughput, uploadThroughput: throughput };
      await devtools.send('Network.enable');
      await devtools.send('Network.emulateNetworkConditions', {
        offline: false,
        latency,
        ...speed,
      });
      await devtools.send('Emulation.setCPUThrottlingRate', { rate });
      const started = Date.now();
      await visit.goto(`${e2e.url}${path}`, { timeout: RENDER_MS, waitUntil: 'commit' });
      await visit.locator(shows).first().waitFor({ timeout: RENDER_MS });
      const value = Date.now() - started;
      await context.close();
      e2e.measure(`${name}, usable on slow 4G`, { value, unit: 'ms', atMost: USABLE_MS });
      return `${value} ms`;
    });
  }
}

await e2e.run('slowNetwork', async (page) => {
  await e2e.completeSession(page, e2e.alertType, 'The disk is full');
  await checkSlowNetwork(page, e2e.sessionIdOf(page));
});
