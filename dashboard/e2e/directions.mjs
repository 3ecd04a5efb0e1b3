/** No page lets a text of somebody else reorder what is beside it. */
import assert from 'node:assert/strict';
import { pagesOf, twoSessions } from './everyPage.mjs';
import * as e2e from './harness.mjs';

const { RENDER_MS } = e2e;

const REORDERS = '\u202E';

/** Fields whose texts are those of senders, models, tools and people. */
const foreign = new Set(
  [
    'title severity service namespace cluster labels alert_type alert_data author content error_message message',
    'executive_summary final_analysis cause category object since because what why next_steps actual_cause',
    'agent_name stage_name tool_name server_name model_name tool server description arguments text tool_result path',
  ].flatMap((names) => names.split(' ')),
);

/** What operators configure, and what TARSy says of itself. */
const own = /\/me$|\/example-alerts|\/alert-types|\/system\/(?:services|state|info|config)/;

/** The same answer, with a character in each of these texts that reorders what follows it. */
function reordering(value, key, named) {
  if (Array.isArray(value)) return value.map((each) => reordering(each, key, named));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([name, part]) => [name, reordering(part, name, named)]));
  }
  const text = typeof value === 'string' && (foreign.has(key) || (named && key === 'name'));
  return text ? `${value.slice(0, 2)}${REORDERS}${value.slice(2)}` : value;
}

/** What shows such a character, in its text or in its name. Runs in the page. */
function reordered(sign) {
  const elements = [document.documentElement, ...document.querySelectorAll('body *')];
  const found = elements.flatMap((element) => {
    const texts = [...element.childNodes].flatMap((node) =>
      node.nodeType === 3 ? [node.data] : [],
    );
    const names = ['aria-label', 'title'].map((name) => element.getAttribute(name) ?? '');
    return [...texts, ...names].filter((text) => text.includes(sign));
  });
  return [document.title, ...found].filter((text) => text.includes(sign));
}

/** Opens every page, and all that is folded in it, with answers that reorder text. */
async function checkDirections(page, [id, other]) {
  await page.route('**/api/v1/**', async (route) => {
    const response = await route.fetch();
    const isJson = response.headers()['content-type']?.includes('json') ?? false;
    if (!isJson || own.test(route.request().url())) return route.fulfill({ response });
    // Names of tools; services and providers are our own.
    const named = /\/mcp-servers|\/trace/.test(route.request().url());
    return route.fulfill({ response, json: reordering(await response.json(), 'text', named) });
  });
  const check = (each) =>
    e2e.step(`${each.name} shows what reorders text`, async () => {
      await page.goto(`${e2e.url}${each.path}`, { timeout: RENDER_MS });
      await page.locator(each.shows).first().waitFor({ timeout: RENDER_MS });
      const folded = page.locator('main button[aria-expanded="false"]:not([aria-haspopup])');
      for (const button of await folded.all())
        await button.click({ timeout: 2000 }).catch(() => {});
      await page.waitForLoadState('networkidle');
      const found = await page.evaluate(reordered, REORDERS);
      assert(found.length === 0, found.slice(0, 5).join(' | '));
    });
  await e2e.sideBySide(1, pagesOf(id, other), check);
  await page.unrouteAll({ behavior: 'wait' });
}

await e2e.run('directions', async (page) => {
  await checkDirections(page, await twoSessions(page, 'The second of two alerts'));
});
