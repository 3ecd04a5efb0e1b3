/** Keyboard shortcuts of single keys, which a user can turn off. */
import { storedSetting } from './storedSetting';

const setting = storedSetting<'on' | 'off'>('tarsy-shortcuts', ['on', 'off']);

export const shortcutsEnabled = (): boolean => setting.read() === 'on';
export const setShortcutsEnabled = (enabled: boolean) => setting.write(enabled ? 'on' : 'off');
export const useShortcutsEnabled = (): boolean => setting.useValue() === 'on';

const editable =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], [role="combobox"]';

/** Whether a key is text for a field, or for a dialog or menu that is open. */
export function isForField({ target }: KeyboardEvent): boolean {
  const inField = target instanceof Element && target.closest(editable) !== null;
  return inField || document.querySelector('[role="dialog"], [role="menu"]') !== null;
}

/** Focuses the search field of the page. Returns false when it has none. */
export function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  field?.focus();
  field?.select();
  return field !== null;
}

/** Moves the focus to the next or the previous step or call of the page. */
export function focusStep(by: 1 | -1): void {
  const steps = [...document.querySelectorAll<HTMLElement>('main [data-step]')];
  const current = document.activeElement?.closest<HTMLElement>('[data-step]') ?? null;
  const index = current === null ? -1 : steps.indexOf(current);
  const next = index < 0 ? steps[by > 0 ? 0 : steps.length - 1] : steps[index + by];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
}

/** Focuses the part of the page that has this key. Returns false when none has it. */
export function focusPart(key: string): boolean {
  if (!/^[a-z]$/.test(key)) return false;
  const part = document.querySelector<HTMLElement>(`main [data-shortcut="${key}"]`);
  part?.focus({ preventScroll: true });
  part?.scrollIntoView({ block: 'start' });
  return part !== null;
}

/** Selects the row that has the focus, or ends its selection. Returns false when there is nothing to select. */
export function selectRow(): boolean {
  const row = document.activeElement?.closest('tr, li');
  const box = row?.querySelector<HTMLInputElement>('input[type="checkbox"]');
  box?.click();
  return box !== null && box !== undefined;
}
