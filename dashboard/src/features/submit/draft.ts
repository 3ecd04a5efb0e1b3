/** What is being written in the form, and what the form itself can say about it. */
import type { AlertSubmission } from '../../api/alerts';
import type { ApiError } from '../../api/errors';
import { byteLength } from '../../lib/utf8';
import { formatBytes } from '../../lib/format';

export const MAX_DATA_BYTES = 1024 * 1024;

export interface Draft {
  readonly alertType: string;
  readonly data: string;
  readonly runbook: string;
}

export type DraftField = keyof Draft;
export type DraftProblems = Partial<Record<DraftField, string>>;

export const emptyDraft: Draft = { alertType: '', data: '', runbook: '' };

export function check(draft: Draft): DraftProblems {
  const problems: DraftProblems = {};
  const bytes = byteLength(draft.data);
  if (draft.data.trim() === '') problems.data = 'The alert needs some text.';
  else if (bytes > MAX_DATA_BYTES) {
    problems.data = `The alert has ${formatBytes(bytes)}; at most ${formatBytes(MAX_DATA_BYTES)} are taken.`;
  }
  const runbook = draft.runbook.trim();
  if (runbook !== '' && !/^https?:\/\/\S+$/i.test(runbook)) {
    problems.runbook = 'Write a whole address, beginning with https://';
  }
  return problems;
}

export function toSubmission(draft: Draft): AlertSubmission {
  const runbook = draft.runbook.trim();
  return {
    data: draft.data,
    ...(draft.alertType === '' ? {} : { alert_type: draft.alertType }),
    ...(runbook === '' ? {} : { runbook }),
  };
}

const fieldNames: ReadonlyMap<string, DraftField> = new Map<string, DraftField>([
  ['data', 'data'],
  ['alert_type', 'alertType'],
  ['runbook', 'runbook'],
]);

/** Puts the API's complaints at their fields; those about no field of ours stay in `rest`. */
export function placeProblems(error: ApiError | null): {
  at: DraftProblems;
  rest: readonly string[];
} {
  const at: DraftProblems = {};
  const rest: string[] = [];
  for (const { field, message } of error?.fields ?? []) {
    const own = fieldNames.get(field);
    if (own) at[own] = message;
    else rest.push(`${field}: ${message}`);
  }
  return { at, rest };
}
