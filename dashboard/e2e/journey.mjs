/**
 * The whole way in a real browser against a running TARSy: choose an example alert, submit it, watch
 * the answer being written, see a tool's result, read the final analysis. Accessibility is checked on
 * the way.
 *
 * TARSY_URL             where TARSy runs (default http://localhost:8080)
 * TARSY_EXAMPLE         name of the example alert (default host)
 * TARSY_SCREENSHOT_DIR  where pictures go; none are taken without it
 * TARSY_TIMEOUT_MS      how long an investigation may take (default 180000)
 * CHROMIUM              the browser (default /usr/bin/chromium)
 */
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { chromium } from 'playwright-core';

const url = (process.env.TARSY_URL ?? 'http://localhost:8080').replace(/\/$/, '');
const example = process.env.TARSY_EXAMPLE ?? 'host';
const pictures = process.env.TARSY_SCREENSHOT_DIR;
const patience = Number(process.env.TARSY_TIMEOUT_MS ?? 180_000);
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const VISIBLE_MS = 20_000;

const byTest = (id) => `[data-testid="${id}"]`;
let passed = 0;
let failed = 0;

async function step(title, work) {
  const started = Date.now();
  try {
    const note = await work();
    passed += 1;
    console.log(`ok    ${title}${note ? `: ${note}` : ''} (${Date.now() - started} ms)`);
  } catch (error) {
    failed += 1;
    console.error(`FAIL  ${title}: ${error instanceof Error ? error.message : error}`);
    throw error;
  }
}

function demand(condition, message) {
  if (!condition) throw new Error(message);
}

async function picture(page, name, fullPage = true) {
  if (!pictures) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, name), fullPage });
}

/** No serious or critical finding may be on the page. */
async function accessible(page, axe) {
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map((one) => one.finished)),
  );
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(() => window.axe.run());
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const told = grave.map(
    ({ id, nodes }) => `${id} (${nodes.map((node) => node.target.join(' ')).join(', ')})`,
  );
  demand(grave.length === 0, told.join('; '));
  return `${passes.length} rules hold`;
}

/** Looks many times a second at the answer being written; remembers how long it was each time. */
function watchAnswers(selector) {
  const seen = {};
  window.tarsyAnswers = seen;
  setInterval(() => {
    for (const item of document.querySelectorAll(selector)) {
      const text = item.querySelector('[data-testid="streaming-text"]');
      if (!text) continue;
      const id = item.getAttribute('data-event-id');
      const lengths = (seen[id] ??= []);
      const length = (text.textContent ?? '').length;
      if (length > 0 && lengths.at(-1) !== length) lengths.push(length);
    }
  }, 15);
}

async function streamGrows(page) {
  const grown = await page.waitForFunction(
    () => Object.values(window.tarsyAnswers).find((lengths) => lengths.length >= 3),
    undefined,
    { timeout: patience, polling: 50 },
  );
  const lengths = await grown.jsonValue();
  const rising = lengths.every((length, index) => index === 0 || length > lengths[index - 1]);
  demand(rising, `the text of a streaming answer shrank: ${lengths.join(', ')}`);
  return `lengths ${lengths.slice(0, 6).join(' < ')}`;
}

async function journey(page, axe) {
  const broken = [];
  page.on('pageerror', (error) => broken.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && /content security policy|script-src|unsafe-eval/i.test(text))
      broken.push(text);
  });

  await step('the list of sessions opens', async () => {
    await page.goto(`${url}/`, { timeout: VISIBLE_MS });
    await page
      .getByRole('heading', { level: 1, name: 'Sessions' })
      .waitFor({ timeout: VISIBLE_MS });
    await page
      .locator(byTest('history-skeleton'))
      .waitFor({ state: 'detached', timeout: VISIBLE_MS });
    demand((await page.locator(byTest('error-state')).count()) === 0, 'the list shows an error');
  });
  await step('the list is accessible', () => accessible(page, axe));
  await picture(page, 'list.png');

  await step('an example fills the form', async () => {
    await page.getByRole('link', { name: 'Submit', exact: true }).click();
    const card = page.locator(`${byTest('example-alert')}[data-example="${example}"]`);
    const cards = page.locator(byTest('example-alert'));
    await cards.first().waitFor({ timeout: VISIBLE_MS });
    const names = await cards.evaluateAll((all) => all.map((one) => one.dataset.example));
    demand(names.includes(example), `no example "${example}"; there are: ${names.join(', ')}`);
    await card.click();
    const data = await page.locator(byTest('alert-data-input')).inputValue();
    demand(data.trim() !== '', `the example "${example}" left the form empty`);
    return `${data.length} characters`;
  });
  await step('the form is accessible', () => accessible(page, axe));
  await picture(page, 'submit.png');

  await step('submitting leads to the session', async () => {
    await page.evaluate(watchAnswers, '[data-event-type="llm_response"][data-status="streaming"]');
    await page.locator(byTest('submit-alert')).click();
    await page.waitForURL(/\/sessions\/[^/]+$/, { timeout: VISIBLE_MS });
    await page.locator(byTest('session-page')).waitFor({ timeout: VISIBLE_MS });
    return page.url().split('/').at(-1);
  });
  await step('an answer is seen growing while it streams', () => streamGrows(page));
  await picture(page, 'session-live.png', false);

  await step('a tool card shows its result', async () => {
    const result = page.locator(`${byTest('tool-card')} ${byTest('tool-result')}`).first();
    await result.waitFor({ timeout: patience });
    const text = (await result.textContent()) ?? '';
    demand(text.trim() !== '', 'the result of the tool is empty');
    return `${text.length} characters`;
  });
  await step('the session completes', async () => {
    const status = page.locator(byTest('session-status'));
    await page.waitForFunction(
      (selector) =>
        ['completed', 'failed', 'timed_out', 'cancelled'].includes(
          document.querySelector(selector)?.getAttribute('data-status') ?? '',
        ),
      byTest('session-status'),
      { timeout: patience },
    );
    const reached = await status.getAttribute('data-status');
    demand(reached === 'completed', `the session ended as ${reached}`);
  });
  await step('the final analysis is shown', async () => {
    const analysis = page.locator(byTest('final-analysis'));
    await analysis.waitFor({ timeout: VISIBLE_MS });
    const text = (await analysis.innerText()).trim();
    demand(text.length > 'Final analysis'.length + 20, `the analysis is too short: ${text}`);
    return `${text.length} characters`;
  });
  await step('the session page is accessible', () => accessible(page, axe));
  await page.evaluate(() => window.scrollTo(0, 0));
  await picture(page, 'session.png');

  await step('dark mode is chosen, kept and accessible', async () => {
    await page.locator(byTest('mode-dark')).click();
    await page.reload({ timeout: VISIBLE_MS });
    await page.locator(byTest('final-analysis')).waitFor({ timeout: VISIBLE_MS });
    const scheme = await page.locator('html').getAttribute('data-scheme');
    demand(scheme === 'dark', `after a reload the scheme is ${scheme}`);
    return accessible(page, axe);
  });
  await picture(page, 'session-dark.png');

  await step('the finished session stands in the list', async () => {
    const id = page.url().split('/').at(-1);
    await page.getByRole('link', { name: 'Sessions', exact: true }).first().click();
    await page
      .locator(`${byTest('session-row')}[data-session-id="${id}"]`)
      .waitFor({ timeout: VISIBLE_MS });
  });
  await picture(page, 'list-dark.png');

  await step('no script failed on the way', async () => {
    demand(broken.length === 0, broken.join('; '));
  });
}

async function main() {
  const axe = await readFile(axePath, 'utf8');
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  try {
    const context = await browser.newContext({
      viewport: { width: 1360, height: 900 },
      colorScheme: 'light',
    });
    const page = await context.newPage();
    await journey(page, axe).catch(async () => {
      if (failed === 0) failed = 1;
      await picture(page, 'failure.png').catch(() => undefined);
    });
  } finally {
    await browser.close();
  }
}

try {
  await main();
} catch (error) {
  failed += 1;
  console.error(
    `FAIL  the journey could not start: ${error instanceof Error ? error.message : error}`,
  );
}
console.log(`journey: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
