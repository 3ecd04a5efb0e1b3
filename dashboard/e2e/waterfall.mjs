/**
 * The trace as bars over time: parallel agents, numbered turns, tokens, the time to the first token, and the keyboard.
 *
 * TARSY_TEAM  alert type of a chain with two agents at a time, each of which calls a tool and concludes (default team)
 */
import assert from 'node:assert/strict';
import * as e2e from './harness.mjs';

const { byTestId, RENDER_MS } = e2e;
const team = e2e.setting('TARSY_TEAM', 'team');
const rowSelector = byTestId('waterfall-row');

/** The rows in view: kind, text, and where the bar is, in percent of the width; null without a bar. */
const readRows = (page) =>
  page.locator(rowSelector).evaluateAll((all) =>
    all
      .toSorted((one, other) => one.ariaPosInSet - other.ariaPosInSet)
      .map((row) => {
        const bar = row.querySelector('[aria-hidden="true"]');
        const [left, width] = bar
          ? [bar.style.left, bar.style.width].map(parseFloat)
          : [null, null];
        return { kind: row.dataset.kind, text: row.innerText, left, width };
      }),
  );

const overlap = (one, other) =>
  one.left < other.left + other.width && other.left < one.left + one.width;

async function checkBars(page) {
  let rows;
  await e2e.step('the waterfall opens from the trace, and its address leads to it', async () => {
    await page.locator(byTestId('trace-link')).click();
    await page.getByRole('button', { name: 'Waterfall', exact: true }).click();
    await page.waitForURL(/\/trace\?view=waterfall$/);
    await page.locator(rowSelector).first().waitFor({ timeout: RENDER_MS });
    rows = await readRows(page);
    const outside = rows.filter(({ left, width }) => left < 0 || left + width > 100.01);
    assert.deepEqual(outside, [], 'bars are beside their row');
    return `${rows.length} rows`;
  });
  await e2e.step('two agents work at the same time', () => {
    const agents = rows.filter(({ kind }) => kind === 'agent');
    assert.equal(agents.length, 2, JSON.stringify(rows));
    assert(overlap(...agents), 'their bars do not overlap');
  });
  await e2e.step('turns are numbered for each agent, and have their tokens', () => {
    const first = rows.findIndex(({ kind }) => kind === 'agent');
    const second = rows.findLastIndex(({ kind }) => kind === 'agent');
    for (const start of [first, second]) {
      const calls = rows.slice(start + 1).filter(({ kind }) => kind === 'llm');
      for (const turn of [1, 2]) {
        const { text } = calls[turn - 1];
        assert(text.startsWith(`Turn ${turn}: `), text);
        assert.match(text, /\d+ in, \d+ out/);
      }
    }
  });
  await e2e.step('a model call says how long it took to its first token', async () => {
    const { text } = rows.find((row) => row.kind === 'llm' && row.text.includes('first token'));
    assert.match(text, /first token after \d+(\.\d+)? m?s/);
    const bar = page.locator(`${rowSelector}[data-kind="llm"]`).filter({ hasText: 'first token' });
    const drawn = await bar.locator('[aria-hidden="true"]').first().getAttribute('style');
    assert.match(drawn, /linear-gradient/, 'the bar does not show the wait');
    return text.replaceAll('\n', ' ');
  });
  await e2e.step('a tool call begins after the turn that asked for it', () => {
    const tool = rows.findIndex(({ kind }) => kind === 'tool');
    const turn = rows.slice(0, tool).findLast(({ kind }) => kind === 'llm');
    assert(rows[tool].left >= turn.left, 'it begins before its turn');
    assert(rows[tool].width > 0, 'it has no length');
    assert(rows[tool].text.includes(`${e2e.toolServer}.${e2e.toolName}`), rows[tool].text);
  });
  await e2e.accessibilityStep(page, 'the waterfall', 'waterfall-team.png');
}

async function checkKeyboard(page) {
  const active = page.locator(`${rowSelector}[data-active="true"]`);
  const position = async () => Number(await active.getAttribute('aria-posinset'));
  const count = await page.locator(rowSelector).first().getAttribute('aria-setsize');
  await e2e.step('arrow keys, Home and End move between the rows', async () => {
    await page.locator(byTestId('waterfall')).focus();
    await page.keyboard.press('ArrowDown');
    assert.equal(await position(), 2);
    await page.keyboard.press('End');
    assert.equal(await position(), Number(count));
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowUp');
    assert.equal(await position(), 1);
    const outline = await active.evaluate((row) => getComputedStyle(row).outlineStyle);
    assert.equal(outline, 'solid', 'the row is not marked');
    const described = await page
      .locator(byTestId('waterfall'))
      .getAttribute('aria-activedescendant');
    assert.equal(described, await active.getAttribute('id'));
  });
  await e2e.step('Enter opens a call', async () => {
    while ((await active.getAttribute('data-kind')) !== 'tool') {
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
    const call = page.locator(byTestId('waterfall-call'));
    await call.locator(byTestId('mcp-detail')).waitFor({ timeout: RENDER_MS });
    const { top } = await call.evaluate((element) => element.getBoundingClientRect());
    const { height } = page.viewportSize();
    assert(top < height - 60, `the call is at ${top} of ${height} pixels`);
    return call.getByRole('heading').first().innerText();
  });
}

await e2e.run('waterfall', async (page) => {
  await e2e.step('two agents investigate', () =>
    e2e.completeSession(page, team, 'The disk is full'),
  );
  await checkBars(page);
  await checkKeyboard(page);
});
