/**
 * The whole way in a real browser against a running TARSy: choose an example alert, submit it, watch
 * the answer being written, see a tool's result, read the final analysis. Accessibility is checked on
 * the way.
 *
 * TARSY_EXAMPLE  name of the example alert (default host); more settings are named in kit.mjs
 */
import process from 'node:process';
import {
  accessible,
  byTest,
  demand,
  endsAs,
  patience,
  picture,
  run,
  step,
  streamGrows,
  url,
  VISIBLE_MS,
  watchStreams,
} from './kit.mjs';

const example = process.env.TARSY_EXAMPLE ?? 'host';

async function journey(page) {
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
  await step('the list is accessible', () => accessible(page));
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
  await step('the form is accessible', () => accessible(page));
  await picture(page, 'submit.png');

  await step('submitting leads to the session', async () => {
    await watchStreams(page);
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
  await step('the session completes', () => endsAs(page, 'completed'));
  await step('the final analysis is shown', async () => {
    const analysis = page.locator(byTest('final-analysis'));
    await analysis.waitFor({ timeout: VISIBLE_MS });
    const text = (await analysis.innerText()).trim();
    demand(text.length > 'Final analysis'.length + 20, `the analysis is too short: ${text}`);
    return `${text.length} characters`;
  });
  await step('the session page is accessible', () => accessible(page));
  await page.evaluate(() => window.scrollTo(0, 0));
  await picture(page, 'session.png', false);
  await picture(page, 'session-whole.png');

  await step('dark mode is chosen, kept and accessible', async () => {
    await page.locator(byTest('mode-dark')).click();
    await page.reload({ timeout: VISIBLE_MS });
    await page.locator(byTest('final-analysis')).waitFor({ timeout: VISIBLE_MS });
    const scheme = await page.locator('html').getAttribute('data-scheme');
    demand(scheme === 'dark', `after a reload the scheme is ${scheme}`);
    return accessible(page);
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
}

await run('journey', journey);
