/**
 * The harness of the end-to-end browser tests: settings, counted steps, Chromium, accessibility checks
 * and the actions that several scripts share.
 *
 * TARSY_URL             where TARSy runs (default http://localhost:8080)
 * TARSY_ADDRESS         its address with the token of its start (default: without one, and nothing is decided)
 * TARSY_ALERT_TYPE      alert type of the submitted alerts (default ledger)
 * TARSY_TOOL            server and tool that its agents call (default ledger.look)
 * SCREENSHOT_DIR        directory of the screenshots; without it none are taken
 * TARSY_TIMEOUT_MS      time limit of an investigation (default 180000)
 * TARSY_MODEL_URL       the scripted model, which can be paused; other models cannot
 * TARSY_MEASUREMENTS    file to which measurements are added (default: none)
 * TARSY_SAMPLES         how often something is measured at most (default: as often as the script says)
 * CHROMIUM              the browser (default chromium-headless-shell of /usr/bin, else chromium)
 *
 * A script that needs more settings lists them at its beginning.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { chromium } from 'playwright-core';
import { fail, hasFailed, report, step } from './steps.mjs';

export { measure, samples, sideBySide, step } from './steps.mjs';

/** An environment variable with its default. */
export function setting(name, fallback) {
  return process.env[name] ?? fallback;
}

export const url = setting('TARSY_URL', 'http://localhost:8080').replace(/\/$/, '');
/** The token of the start, which lets a browser and requests beside it decide; none where people sign in. */
const token = setting('TARSY_ADDRESS', url).split('#token=')[1];
export const alertType = setting('TARSY_ALERT_TYPE', 'ledger');
export const [toolServer, toolName] = setting('TARSY_TOOL', 'ledger.look').split('.');
/** Milliseconds until the model, the tools and the services have done something. */
export const INVESTIGATION_MS = Number(setting('TARSY_TIMEOUT_MS', 180_000));
/** Milliseconds until the page shows what TARSy already has. */
export const RENDER_MS = 60_000;

export const byTestId = (id) => `[data-testid="${id}"]`;
export const timelineItem = byTestId('timeline-item');

const screenshotDir = setting('SCREENSHOT_DIR');
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What sticks to the window would stand in the middle of the picture of a whole page. */
const atTheEnd = 'aside[aria-label="Notices"] { position: static !important; }';

export async function screenshot(page, name, { fullPage = true } = {}) {
  if (!screenshotDir) return;
  await mkdir(screenshotDir, { recursive: true });
  const path = join(screenshotDir, name);
  if (!fullPage) {
    await page.screenshot({ path });
    return;
  }
  const scrolled = await page.evaluate(() => window.scrollY);
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path, fullPage, style: atTheEnd });
  await page.evaluate((top) => window.scrollTo(0, top), scrolled);
}

/** A screenshot of the part that is in view, which does not scroll. */
export const screenshotView = (page, name) => screenshot(page, name, { fullPage: false });

/** Light and dark, as wide as a desk and as a phone. */
export const appearances = [
  { name: 'wide', viewport: { width: 1400, height: 900 }, colorScheme: 'light' },
  { name: 'wide-dark', viewport: { width: 1400, height: 900 }, colorScheme: 'dark' },
  { name: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { name: 'phone-dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
];

/** Shows the page in each appearance, then in the first one. */
export async function inEachAppearance(page, check) {
  const size = page.viewportSize();
  for (const { name, viewport, colorScheme } of appearances) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-scheme="${colorScheme}"]`).waitFor();
    await check(name);
  }
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Waits for the end of all animations that end; one may start another, and the first begins with the next frame. */
async function waitForAnimations(page) {
  await page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
    const running = () =>
      document
        .getAnimations()
        .filter(({ playState }) => playState === 'running')
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    for (let all = running(); all.length > 0; all = running()) {
      await Promise.allSettled(all.map(({ finished }) => finished));
    }
  });
}

/** The rules of axe-core whose outcome depends on colors. */
export const rulesOfColors = ['color-contrast', 'link-in-text-block'];

/**
 * Runs the check while what changes on the page takes its new colors at once: a button that becomes usable in the
 * middle of it would have a color between the two.
 */
async function withoutTransitions(page, check) {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('*, ::before, ::after { transition: none !important; }');
    document.adoptedStyleSheets.push(sheet);
  });
  try {
    await waitForAnimations(page);
    return await check();
  } finally {
    await page.evaluate(() => document.adoptedStyleSheets.pop());
  }
}

/** Runs axe-core, or some of its rules, and fails on violations with these impacts; by default those that are serious or critical. */
export async function assertAccessible(page, impacts = ['serious', 'critical'], rules) {
  if (await page.evaluate(() => window.axe === undefined)) {
    await page.evaluate(await readFile(axePath, 'utf8'));
  }
  // Of what passes only the number is read: it needs no selectors.
  const { violations, passes } = await withoutTransitions(page, () =>
    page.evaluate(
      (runOnly) => window.axe.run({ resultTypes: ['violations'], ...(runOnly && { runOnly }) }),
      rules,
    ),
  );
  const found = violations.filter(({ impact }) => impacts.includes(impact));
  const descriptions = found.map(
    ({ id, nodes }) => `${id} (${nodes.map((node) => node.target.join(' ')).join(', ')})`,
  );
  assert(found.length === 0, descriptions.join('; '));
  return `${passes.length} rules pass`;
}

/** A step that checks the accessibility of what is shown, then takes a screenshot. */
export async function accessibilityStep(page, subject, image, options) {
  await step(`${subject} is accessible`, () => assertAccessible(page));
  await screenshot(page, image, options);
}

async function setModelPaused(paused) {
  const model = setting('TARSY_MODEL_URL');
  if (!model) return;
  const { ok, status } = await fetch(`${model}/held`, { method: paused ? 'PUT' : 'DELETE' });
  assert(ok, `the scripted model responded ${status}`);
}

/** Keeps the responses of the scripted model streaming, so that no check depends on speed. */
export const pauseModel = () => setModelPaused(true);

export const resumeModel = () => setModelPaused(false);

/** Records the distinct lengths of streaming texts by event id, in letters and digits: Markdown's other signs are gone once they are rendered. Runs in the page. */
function recordLengths(selector) {
  const recorded = {};
  window.tarsyStreamLengths = recorded;
  setInterval(() => {
    for (const item of document.querySelectorAll(selector)) {
      const text = item.querySelector('[data-testid="streaming-text"]');
      if (!text) continue;
      const lengths = (recorded[item.getAttribute('data-event-id')] ??= []);
      const length = (text.textContent ?? '').replaceAll(/[^\p{L}\p{N}]/gu, '').length;
      if (length > 0 && lengths.at(-1) !== length) lengths.push(length);
    }
  }, 15);
}

/** Starts to record the streaming texts of one event type. */
export async function recordStreams(page, eventType = 'llm_response') {
  await page.evaluate(recordLengths, `[data-event-type="${eventType}"][data-status="streaming"]`);
}

/** Waits until a recorded text has had three lengths and asserts that each was longer than the last. */
export async function assertStreamGrows(page) {
  const recorded = await page.waitForFunction(
    () => Object.values(window.tarsyStreamLengths).find((lengths) => lengths.length >= 3),
    undefined,
    { timeout: INVESTIGATION_MS, polling: 50 },
  );
  const lengths = await recorded.jsonValue();
  const growing = lengths.every((length, index) => index === 0 || length > lengths[index - 1]);
  assert(growing, `the streaming text shrank: ${lengths.join(', ')}`);
  return `lengths ${lengths.slice(0, 6).join(' < ')}`;
}

export const sessionIdOf = (page) => new URL(page.url()).pathname.split('/').at(-1);

/** Clicks the submit button and waits for the session page. Returns the session id. */
export async function submitForm(page) {
  await page.locator(byTestId('submit-alert')).click();
  await page.waitForURL(/\/sessions\/[^/]+$/, { timeout: RENDER_MS });
  await page.locator(byTestId('session-page')).waitFor({ timeout: RENDER_MS });
  return sessionIdOf(page);
}

/** Chooses an option of a field. A menu that still opens takes no click. */
export async function choose(page, field, name) {
  const option = page.getByRole('option', { name, exact: true });
  await page.getByRole('combobox', { name: field, exact: true }).click({ timeout: RENDER_MS });
  await option.click({ timeout: RENDER_MS });
  const wait = { timeout: 2_000 };
  const isChosen = async () => {
    const closed = option.waitFor({ state: 'hidden', ...wait }).then(() => true);
    return closed.catch(() => option.click(wait).then(() => false));
  };
  await eventually(`${field} is ${name}`, () => isChosen().catch(() => false));
}

/** Submits an alert through the form; `fillIn` may fill in more fields. Returns the session id. */
export async function submitAlert(page, type, data, fillIn = async () => undefined) {
  await page.goto(`${url}/submit`, { timeout: RENDER_MS });
  await choose(page, 'Alert type', type);
  await page.locator(byTestId('alert-data-input')).fill(data);
  await fillIn();
  return submitForm(page);
}

/** Waits for a terminal status on the session page and asserts which one it is. */
export async function assertSessionEnds(page, expected) {
  const status = byTestId('session-status');
  await page.waitForFunction(
    (selector) =>
      ['completed', 'failed', 'timed_out', 'cancelled'].includes(
        document.querySelector(selector)?.getAttribute('data-status') ?? '',
      ),
    status,
    { timeout: INVESTIGATION_MS },
  );
  const reached = await page.locator(status).getAttribute('data-status');
  assert(reached === expected, `the session ended as ${reached}`);
  await revealFindings(page);
}

/** Shows the findings of a session that ended while the page was open. */
export async function revealFindings(page) {
  const button = page.locator(byTestId('reveal-findings'));
  if (await button.isVisible()) await button.click();
}

/** Submits an alert and waits until its session has completed. */
export async function completeSession(page, type, data) {
  await submitAlert(page, type, data);
  await assertSessionEnds(page, 'completed');
}

/** Calls the API beside the browser, and returns its answer. */
export async function send(method, path, body) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  assert(response.ok, `${method} ${path} responded ${response.status}`);
  return response.status === 204 ? null : response.json();
}

/** Asks until the answer is true. It is for what announces itself with no event; `waitForFunction` does not await a promise. */
export async function eventually(what, isSo, timeout = RENDER_MS) {
  const deadline = Date.now() + timeout;
  while (!(await isSo())) {
    assert(Date.now() < deadline, `${what}: not so within ${timeout} ms`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Submits an alert with fields that the form does not have, and opens its session. Returns the session id. */
export async function openAlert(page, alert) {
  const { session_id: id } = await send('POST', '/alerts', alert);
  await page.goto(`${url}/sessions/${id}`, { timeout: RENDER_MS });
  return id;
}

/** The same, until the session has completed. */
export async function investigate(page, alert) {
  const id = await openAlert(page, alert);
  await assertSessionEnds(page, 'completed');
  return id;
}

/** Clicks a button that copies, and returns what is in the clipboard then. */
export async function copied(page, button) {
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await button.click();
  let text = '';
  await eventually('something is copied', async () => {
    text = await page.evaluate(() => navigator.clipboard.readText());
    return text !== '';
  });
  return text;
}

/** Sums up the layout shifts that no input has caused, in `tarsyLayoutShift`; `tarsyMoved` has what moved. Runs in the page. */
export function recordShifts() {
  window.tarsyLayoutShift = 0;
  window.tarsyMoved = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.tarsyLayoutShift += value;
      const moved = sources.map(({ node, previousRect, currentRect }) => {
        const name =
          node?.dataset?.testid ?? node?.textContent?.slice(0, 40) ?? 'a removed element';
        return `"${name}" from y ${previousRect.y} to ${currentRect.y}`;
      });
      window.tarsyMoved.push(`${value.toFixed(4)}: ${moved.join(', ')}`);
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/** What Chromium calls good is 0.1; this is half of it. */
const MAX_LAYOUT_SHIFT = 0.05;

/** Fails when what `recordShifts` has summed up is too much. */
export async function assertStill(page) {
  const [shift, moved] = await page.evaluate(() => [window.tarsyLayoutShift, window.tarsyMoved]);
  assert(shift < MAX_LAYOUT_SHIFT, `the layout shift is ${shift}: ${moved.join(' | ')}`);
  return `layout shift ${shift.toFixed(4)}`;
}

const browsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

function launchBrowser() {
  const installed = browsers.find((path) => existsSync(path));
  return chromium.launch({
    executablePath: setting('CHROMIUM', installed ?? browsers[0]),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Else each page that is opened is a new process, which compiles the dashboard once more.
      '--process-per-site',
    ],
  });
}

/** So many characters of a page that a script fails on are printed. */
const SHOWN_OF_A_PAGE = 12_000;

/** Prints what a reader with a screen reader would find on the page, and its picture where pictures are wanted. */
async function showPage(page) {
  const tree = await page.locator('body').ariaSnapshot({ timeout: 5_000 });
  console.error(`the page ${page.url()} at that time:\n${tree.slice(0, SHOWN_OF_A_PAGE)}`);
  await screenshot(page, 'failure.png');
}

/** Collects uncaught exceptions and violations of the content security policy. */
function collectErrors(page) {
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    const violation = /content security policy|script-src|unsafe-eval/i.test(text);
    if (message.type() === 'error' && violation) errors.push(text);
  });
  return errors;
}

/** Opens the address with the token once, and gives every context what the browser was given for it. */
async function unlock(browser) {
  if (token === undefined) return;
  const newContext = browser.newContext.bind(browser);
  const context = await newContext();
  const page = await context.newPage();
  await page.goto(`${url}/#token=${token}`, { timeout: RENDER_MS });
  await page.waitForFunction(() => localStorage.getItem('tarsy-page-key') !== null);
  assert.equal(new URL(page.url()).hash, '', 'the token stays in the address');
  const storageState = await context.storageState();
  await context.close();
  browser.newContext = (options) => newContext({ storageState, ...options });
  browser.newPage = async (options) => (await browser.newContext(options)).newPage();
}

async function runScript(browser, script) {
  const context = await browser.newContext({
    viewport: { width: 1360, height: 900 },
    colorScheme: 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(RENDER_MS);
  const page = await context.newPage();
  const errors = collectErrors(page);
  await script(page).catch(async (error) => {
    if (!hasFailed()) throw error;
    await showPage(page).catch(() => undefined);
  });
  await step('the page logged no errors', async () => {
    assert(errors.length === 0, errors.join('; '));
  });
}

/** Runs a script in a new browser. The last line of the output counts its steps. */
export async function run(name, script) {
  let browser;
  try {
    browser = await launchBrowser();
    await unlock(browser);
    await runScript(browser, script);
  } catch (error) {
    if (!hasFailed()) fail(name, error);
  } finally {
    await browser?.close();
  }
  report(name);
}
