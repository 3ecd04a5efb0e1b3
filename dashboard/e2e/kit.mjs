/**
 * What every script in a browser needs: steps that are counted, a page in Chromium, accessibility.
 *
 * TARSY_URL             where TARSy runs (default http://localhost:8080)
 * TARSY_ALERT_TYPE      the type of the alerts that are sent (default ledger)
 * TARSY_SCREENSHOT_DIR  where pictures go; none are taken without it
 * TARSY_TIMEOUT_MS      how long an investigation may take (default 180000)
 * TARSY_MODEL_URL       where a played model is told to go on writing; any other model is not
 * CHROMIUM              the browser (default /usr/bin/chromium)
 */
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { chromium } from 'playwright-core';

export const url = (process.env.TARSY_URL ?? 'http://localhost:8080').replace(/\/$/, '');
export const alertType = process.env.TARSY_ALERT_TYPE ?? 'ledger';
export const patience = Number(process.env.TARSY_TIMEOUT_MS ?? 180_000);
export const VISIBLE_MS = 60_000;
export const byTest = (id) => `[data-testid="${id}"]`;

const pictures = process.env.TARSY_SCREENSHOT_DIR;
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
let passed = 0;
let failed = 0;

export async function step(title, work) {
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

export function demand(condition, message) {
  if (!condition) throw new Error(message);
}

export async function picture(page, name, fullPage = true) {
  if (!pictures) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, name), fullPage });
}

/** No serious or critical finding may be on the page. */
export async function accessible(page) {
  await page.evaluate(async () => {
    const ending = () =>
      document
        .getAnimations()
        .filter(({ playState }) => playState === 'running')
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    // The end of one may be the beginning of another.
    for (let all = ending(); all.length > 0; all = ending()) {
      await Promise.allSettled(all.map(({ finished }) => finished));
    }
  });
  await page.evaluate(await readFile(axePath, 'utf8'));
  const { violations, passes } = await page.evaluate(() => window.axe.run());
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const told = grave.map(
    ({ id, nodes }) => `${id} (${nodes.map((node) => node.target.join(' ')).join(', ')})`,
  );
  demand(grave.length === 0, told.join('; '));
  return `${passes.length} rules hold`;
}

async function tellModel(method) {
  const model = process.env.TARSY_MODEL_URL;
  if (!model) return;
  const { ok, status } = await fetch(`${model}/held`, { method });
  demand(ok, `the played model answers ${status}`);
}

/** From now on what the played model writes has no end: nobody has to look quickly. */
export const hold = () => tellModel('PUT');

/** What was held comes to its end. */
export const release = () => tellModel('DELETE');

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

/** Begins to watch every answer of the page from now on. */
export async function watchStreams(page) {
  await page.evaluate(watchAnswers, '[data-event-type="llm_response"][data-status="streaming"]');
}

/** Waits until an answer was seen at three lengths, each longer than the one before. */
export async function streamGrows(page) {
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

/** Writes an alert into the form, sends it, and waits for the page of its session. */
export async function submitAlert(page, type, data, before = async () => undefined) {
  await page.goto(`${url}/submit`, { timeout: VISIBLE_MS });
  await page.getByRole('combobox', { name: 'Alert type' }).click({ timeout: VISIBLE_MS });
  await page.getByRole('option', { name: type, exact: true }).click({ timeout: VISIBLE_MS });
  await page.locator(byTest('alert-data-input')).fill(data);
  await before();
  await page.locator(byTest('submit-alert')).click();
  await page.waitForURL(/\/sessions\/[^/]+$/, { timeout: VISIBLE_MS });
  await page.locator(byTest('session-page')).waitFor({ timeout: VISIBLE_MS });
  return page.url().split('/').at(-1);
}

/** Waits for the end of the session on the page and tells its state. */
async function sessionEnds(page) {
  const status = byTest('session-status');
  await page.waitForFunction(
    (selector) =>
      ['completed', 'failed', 'timed_out', 'cancelled'].includes(
        document.querySelector(selector)?.getAttribute('data-status') ?? '',
      ),
    status,
    { timeout: patience },
  );
  return page.locator(status).getAttribute('data-status');
}

/** Demands that the session ends in this state. */
export async function endsAs(page, wanted) {
  const reached = await sessionEnds(page);
  demand(reached === wanted, `the session ended as ${reached}`);
}

/** Sends an alert of a type and waits until its session has completed. */
export async function investigated(page, type, data) {
  await submitAlert(page, type, data);
  await endsAs(page, 'completed');
}

/** Runs a script on a page of its own and ends with a line that counts its steps. */
export async function run(name, script, { width = 1360, height = 900 } = {}) {
  const broken = [];
  let browser;
  try {
    browser = await chromium.launch({
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
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: 'light',
    });
    context.setDefaultTimeout(VISIBLE_MS);
    const page = await context.newPage();
    page.on('pageerror', (error) => broken.push(error.message));
    page.on('console', (message) => {
      const text = message.text();
      if (
        message.type() === 'error' &&
        /content security policy|script-src|unsafe-eval/i.test(text)
      )
        broken.push(text);
    });
    await script(page).catch(async (error) => {
      if (failed === 0) throw error;
      await picture(page, 'failure.png').catch(() => undefined);
    });
    await step('no script failed on the way', async () => {
      demand(broken.length === 0, broken.join('; '));
    });
  } catch (error) {
    failed += failed === 0 ? 1 : 0;
    console.error(`FAIL  ${name}: ${error instanceof Error ? error.message : error}`);
  } finally {
    await browser?.close();
  }
  console.log(`${name}: ${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
