/**
 * What is copied and exported: the alert, arguments and results of tool calls, links to steps, commands for curl that work in a
 * shell, and the session as Markdown, as JSON and as a draft of a postmortem.
 *
 * TARSY_ALERT_TYPE needs a chain that calls TARSY_TOOL and writes a text.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS, toolName, toolServer } = e2e;
const tool = `${toolServer}.${toolName}`;
const title = `Disk of web-${Date.now()} isn't free`;
/** With what a shell would take apart, and a number that JavaScript cannot hold. */
const data = `{"status":"firing","labels":{"owner":"it's $HOME","bytes":12345678901234567890}}`;
/** What the tool writes into every result, and TARSY masks. */
const secret = 'sk-planted';

const copyOf = (part, label) => part.getByRole('button', { name: label, exact: true });

/** The session, as the API has it. */
const read = (id) => e2e.send('GET', `/sessions/${id}`);

/** Takes a command for curl apart as a shell does, and sends what it would send, with an API token or without. */
async function runCurl(command, { withToken = true } = {}) {
  const env = { ...process.env };
  delete env.TARSY_TOKEN;
  if (withToken) {
    const name = `copying-${Date.now()}`;
    const token = { name, role: 'operator', expires_in_days: 1 };
    env.TARSY_TOKEN = (await e2e.send('POST', '/tokens', token)).token;
  }
  const shell = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const words = execFileSync('bash', ['-euc', shell], { env }).toString().split('\0').slice(0, -1);
  const valuesOf = (name) => words.filter((_, index) => words[index - 1] === name);
  const tokens = words.filter((word) => word.startsWith('-H')).map((word) => word.slice(2));
  assert.equal(tokens.length, withToken ? 1 : 0, 'the token of the environment is not sent');
  const headers = [...tokens, ...valuesOf('--header')].map((header) =>
    header.split(/: (.*)/s).slice(0, 2),
  );
  const [body] = valuesOf('--data');
  const method = body === undefined ? 'GET' : 'POST';
  const response = await fetch(words[1], { method, headers, body });
  const text = await response.text();
  assert(response.ok, `${words[1]} responded ${response.status}: ${text}`);
  return JSON.parse(text);
}

async function copyAlert(page) {
  const panel = page.locator(byTestId('alert-data'));
  await e2e.step('the alert is copied as it came, and shown with colors', async () => {
    assert.equal(await e2e.copied(page, copyOf(panel, 'Copy alert')), data);
    await panel.locator('button[aria-expanded="false"]').first().click();
    await panel.locator('[data-language="json"] .hljs-attr').first().waitFor();
    const shown = await e2e.copied(page, copyOf(panel, 'Copy: Alert data'));
    assert(
      shown.includes('\n  "status": "firing"') && shown.includes('12345678901234567890'),
      shown,
    );
  });
  await e2e.step('the command for curl submits the same alert', async () => {
    const command = await e2e.copied(page, copyOf(panel, 'Copy as curl: the alert'));
    const { session_id: id } = await runCurl(command);
    const session = await read(id);
    assert.deepEqual([session.alert_data, session.title], [data, title]);
    const withoutToken = await runCurl(command, { withToken: false });
    assert.notEqual(withoutToken.session_id, id);
  });
}

async function copyCall(page) {
  const card = page.locator(byTestId('tool-card')).first();
  await e2e.step('the arguments and the result of a call are copied', async () => {
    await card.locator(`${byTestId('tool-arguments')} > button`).click();
    const args = await e2e.copied(page, copyOf(card, `Copy: Arguments of ${tool}`));
    assert.equal(JSON.parse(args).what, 'disk');
    await card.locator('[data-language="json"] .hljs-attr').first().waitFor();
    const result = await e2e.copied(page, copyOf(card, `Copy: Result of ${tool}`));
    assert.equal(result, await card.locator(byTestId('tool-result')).innerText());
    assert(!result.includes(secret), 'the secret is copied');
    return result;
  });
  await e2e.step('a link leads to the step', async () => {
    const item = page.locator(e2e.timelineItem).filter({ has: card });
    const step = await item.getAttribute('data-event-id');
    await item.hover();
    const link = await e2e.copied(page, copyOf(item, 'Copy link to this step'));
    assert.equal(link, `${page.url()}#step-${step}`);
    await page.goto('about:blank');
    await page.goto(link, { timeout: RENDER_MS });
    await page.waitForFunction((id) => document.activeElement?.id === `step-${id}`, step);
  });
}

const rowOf = (page, kind) => page.locator(`${byTestId('trace-row')}[data-kind="${kind}"]`).first();

async function copyTrace(page) {
  await page.locator(byTestId('trace-link')).click();
  await e2e.step('a model call is copied as JSON and as a command for curl', async () => {
    const row = rowOf(page, 'llm');
    await row.locator('button[aria-expanded="false"]').first().click();
    const copy = JSON.parse(await e2e.copied(page, copyOf(row, 'Copy as JSON, the whole call')));
    const { id, conversation } = await runCurl(
      await e2e.copied(page, copyOf(row, 'Copy as curl: the LLM call')),
    );
    assert.equal(copy.id, id);
    assert.equal(copy.conversation.length, conversation.length);
    return `${conversation.length} messages`;
  });
  await e2e.step('a tool call is copied as a command for curl', async () => {
    const row = rowOf(page, 'tool_call');
    await row.locator('button[aria-expanded="false"]').first().click();
    const call = await runCurl(await e2e.copied(page, copyOf(row, 'Copy as curl: the tool call')));
    assert.deepEqual([call.server_name, call.tool_name], [toolServer, toolName]);
  });
  await page.goBack();
}

/** Chooses an export. Returns the name and the text of the file. */
async function exported(page, format) {
  await page.getByRole('button', { name: 'Export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: format }).click();
  const file = await download;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

async function checkExports(page, id) {
  await e2e.step('the export as JSON has the session and its whole timeline', async () => {
    const { name, text } = await exported(page, 'JSON');
    assert.equal(name, `tarsy-${id}.json`);
    const { session, timeline } = JSON.parse(text);
    const events = await e2e.send('GET', `/sessions/${id}/timeline`);
    const ids = (all) => all.map((each) => each.id);
    assert.deepEqual(ids(timeline), ids(events));
    assert.deepEqual([session.id, session.alert_data], [id, data]);
    return `${timeline.length} steps`;
  });
  await e2e.step('the export as Markdown has the findings with their evidence', async () => {
    const { text } = await exported(page, 'Markdown');
    assert(text.startsWith(`# ${title}: Completed\n`), text.slice(0, 100));
    const { final_analysis: analysis } = await read(id);
    for (const part of [
      `## Final analysis\n\n${analysis}`,
      `### call 1: ${tool}`,
      '- Severity: critical',
      '- Service: payments',
      '## Not examined',
      `${e2e.url}/sessions/${id}`,
    ]) {
      assert(text.includes(part), `without ${part}: ${text}`);
    }
    assert(!text.includes(secret), 'the secret is exported');
  });
  await e2e.step('the draft of a postmortem says what a person has to write', async () => {
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Postmortem' }).click();
    const dialog = page.locator(byTestId('postmortem'));
    const copied = await e2e.copied(page, copyOf(dialog, 'Copy full text'));
    await e2e.assertAccessible(page);
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download' }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), `tarsy-${id}-postmortem.md`);
    const text = await readFile(await file.path(), 'utf8');
    assert.equal(copied, text);
    await dialog.getByRole('button', { name: 'Close' }).click();
    assert(text.startsWith(`# Postmortem: ${title}\n`), text.slice(0, 100));
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    for (const heading of [
      'Summary',
      'Impact',
      'Timeline',
      'Cause',
      'What was missing',
      'Actions',
    ]) {
      assert(headings.includes(heading), headings.join(', '));
    }
    assert.match(text, /- Service: payments\n- Who was affected: \*\*TO DO\*\*/);
    assert(!text.includes(secret), 'the secret is in the postmortem');
    return headings.join(', ');
  });
}

/** The report in print, on a screen that is dark. */
async function checkReport(page, id) {
  await page.goto(`${e2e.url}/sessions/${id}/report`, { timeout: RENDER_MS });
  const report = page.locator(byTestId('report'));
  await report.getByText('AI-generated. Verify before you act.').first().waitFor();
  await e2e.step('the report has copy buttons on its arguments and results', async () => {
    const result = await e2e.copied(page, copyOf(report, 'Copy: Result of call 1'));
    assert.equal(result, await report.getByLabel('Result of call 1', { exact: true }).innerText());
    await e2e.assertAccessible(page);
  });
  await e2e.step('paper has the findings with their evidence and no controls', async () => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    assert(!(await page.getByRole('button', { name: 'Print' }).isVisible()), 'a button is printed');
    assert(!(await report.getByRole('button', { name: /^Copy/ }).first().isVisible()));
    for (const name of ['Final analysis', 'Not examined', 'Alert', 'Evidence']) {
      assert(await report.getByRole('heading', { name, exact: true }).isVisible(), name);
    }
    const color = await report.evaluate((each) => getComputedStyle(each).color);
    assert.equal(color, 'rgb(0, 0, 0)', 'the text is not dark');
    // Badges and marks, too.
    await e2e.assertAccessible(page);
    await e2e.screenshot(page, 'report-print.png');
    await page.emulateMedia({ media: null, colorScheme: 'light' });
  });
}

await e2e.run('copying', async (page) => {
  let id;
  await e2e.step('an alert is investigated', async () => {
    const facts = { severity: 'critical', service: 'payments' };
    id = await e2e.investigate(page, { alert_type: e2e.alertType, data, title, ...facts });
  });
  await copyAlert(page);
  await copyCall(page);
  await copyTrace(page);
  await checkExports(page, id);
  await checkReport(page, id);
});
