/** The keyboard alone, for the scripts that use nothing else. */

/** The text of the link or button that has the focus. */
const focused = (page) =>
  page.evaluate(() => {
    const { activeElement } = document;
    return activeElement?.matches('a, button') ? activeElement.textContent : '';
  });

/** Presses Tab until an element with this text has the focus; returns how often. */
export async function tabTo(page, text) {
  for (let presses = 1; presses <= 60; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await focused(page)).includes(text)) return presses;
  }
  throw new Error(`Tab does not reach ${text}`);
}

/** The same from the beginning of the page, with Enter. */
export async function follow(page, link) {
  await page.evaluate(() => document.activeElement?.blur());
  const presses = await tabTo(page, link);
  await page.keyboard.press('Enter');
  return presses + 1;
}

export const hasFocus = (page, selector) =>
  page.waitForFunction((each) => document.activeElement?.closest(each) !== null, selector);
