/** Texts that a user has entered and not sent yet. They stay in the browser's tab until they are sent. */
import { parseJson } from '../text/json';

const PREFIX = 'tarsy-draft:';

/** The stored draft; undefined without one. */
export function readDraft(name: string): unknown {
  try {
    return parseJson(sessionStorage.getItem(PREFIX + name) ?? '');
  } catch {
    return undefined;
  }
}

export function storeDraft(name: string, draft: unknown): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(draft));
  } catch {
    // Storage is disabled or full: the draft lives as long as its page.
  }
}

export function deleteDraft(name: string): void {
  try {
    sessionStorage.removeItem(PREFIX + name);
  } catch {
    // Storage is disabled.
  }
}

/** Deletes all drafts, when the user signs out. */
export function deleteDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
    }
  } catch {
    // Storage is disabled.
  }
}
