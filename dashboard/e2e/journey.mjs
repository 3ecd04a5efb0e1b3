/**
 * The whole way in a real browser against a running TARSy: choose an example alert, submit it, watch
 * the answer being written, see a tool's result, read the final analysis. Accessibility is checked on
 * the way.
 *
 * TARSY_EXAMPLE  name of the example alert (default host); more settings are named in kit.mjs
 */
import process from 'node:process';
import * as kit from './kit.mjs';

const example = process.env.TARSY_EXAMPLE ?? 'host';

async function journey(page) {
  await kit.step('the list of sessions opens', async () => {
    await page.goto(`${kit.url}/`, { timeout: kit.VISIBLE_MS });
    await page
      .getByRole('heading', { level: 1, name: 'Sessions' })
      .waitFor({ timeout: kit.VISIBLE_MS });
    await page
      .locator(kit.byTest('history-skeleton'))
      .waitFor({ state: 'detached', timeout: kit.VISIBLE_MS });
    kit.demand(
      (await page.locator(kit.byTest('error-state')).count()) === 0,
      'the list shows an error',
    );
  });
  await kit.step('the list is accessible', () => kit.accessible(page));
  await kit.picture(page, 'list.png');

  await kit.step('an example fills the form', async () => {
    await page.getByRole('link', { name: 'Submit', exact: true }).click();
    const card = page.locator(`${kit.byTest('example-alert')}[data-example="${example}"]`);
    const cards = page.locator(kit.byTest('example-alert'));
    await cards.first().waitFor({ timeout: kit.VISIBLE_MS });
    const names = await cards.evaluateAll((all) => all.map((one) => one.dataset.example));
    kit.demand(names.includes(example), `no example "${example}"; there are: ${names.join(', ')}`);
    await card.click();
    const data = await page.locator(kit.byTest('alert-data-input')).inputValue();
    kit.demand(data.trim() !== '', `the example "${example}" left the form empty`);
    return `${data.length} characters`;
  });
  await kit.step('the form is accessible', () => kit.accessible(page));
  await kit.picture(page, 'submit.png');

  await kit.step('submitting leads to the session', async () => {
    await kit.watchStreams(page);
    await page.locator(kit.byTest('submit-alert')).click();
    await page.waitForURL(/\/sessions\/[^/]+$/, { timeout: kit.VISIBLE_MS });
    await page.locator(kit.byTest('session-page')).waitFor({ timeout: kit.VISIBLE_MS });
    return page.url().split('/').at(-1);
  });
  await kit.step('an answer is seen growing while it streams', () => kit.streamGrows(page));
  await kit.picture(page, 'session-live.png', false);

  await kit.step('a tool card shows its result', async () => {
    const result = page.locator(`${kit.byTest('tool-card')} ${kit.byTest('tool-result')}`).first();
    await result.waitFor({ timeout: kit.patience });
    const text = (await result.textContent()) ?? '';
    kit.demand(text.trim() !== '', 'the result of the tool is empty');
    return `${text.length} characters`;
  });
  await kit.step('the session completes', () => kit.endsAs(page, 'completed'));
  await kit.step('the final analysis is shown', async () => {
    const analysis = page.locator(kit.byTest('final-analysis'));
    await analysis.waitFor({ timeout: kit.VISIBLE_MS });
    const text = (await analysis.innerText()).trim();
    kit.demand(text.length > 'Final analysis'.length + 20, `the analysis is too short: ${text}`);
    return `${text.length} characters`;
  });
  await kit.step('the session page is accessible', () => kit.accessible(page));
  await page.evaluate(() => window.scrollTo(0, 0));
  await kit.picture(page, 'session.png', false);
  await kit.picture(page, 'session-whole.png');

  await kit.step('dark mode is chosen, kept and accessible', async () => {
    await page.locator(kit.byTest('mode-dark')).click();
    await page.reload({ timeout: kit.VISIBLE_MS });
    await page.locator(kit.byTest('final-analysis')).waitFor({ timeout: kit.VISIBLE_MS });
    const scheme = await page.locator('html').getAttribute('data-scheme');
    kit.demand(scheme === 'dark', `after a reload the scheme is ${scheme}`);
    return kit.accessible(page);
  });
  await kit.picture(page, 'session-dark.png');

  await kit.step('the finished session stands in the list', async () => {
    const id = page.url().split('/').at(-1);
    await page.getByRole('link', { name: 'Sessions', exact: true }).first().click();
    await page
      .locator(`${kit.byTest('session-row')}[data-session-id="${id}"]`)
      .waitFor({ timeout: kit.VISIBLE_MS });
  });
  await kit.picture(page, 'list-dark.png');
}

await kit.run('journey', journey);
