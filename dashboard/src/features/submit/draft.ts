/** What is being written in the form, and what the form itself can say about it. */
import type { AlertSubmission } from '../../api/alerts';
import type { ApiError } from '../../api/errors';
import type { SessionDetail } from '../../api/sessions';
import { byteLength } from '../../lib/utf8';
import { formatBytes } from '../../lib/format';
import { asConfigured, fromWish, toWish, type ToolChoice } from './toolChoice';

export const MAX_DATA_BYTES = 1024 * 1024;

export interface Draft {
  readonly alertType: string;
  readonly data: string;
  readonly runbook: string;
  readonly tools: ToolChoice;
}

/** What is written as text. */
export type DraftField = Exclude<keyof Draft, 'tools'>;
export type DraftProblems = Partial<Record<keyof Draft, string>>;

export const emptyDraft: Draft = { alertType: '', data: '', runbook: '', tools: asConfigured };

/** The alert of an earlier session, to be investigated once more; what was masked stays masked. */
export function fromSession(session: SessionDetail): Draft {
  return {
    alertType: session.alert_type ?? '',
    data: session.alert_data,
    runbook: session.runbook_url ?? '',
    tools: fromWish(session.mcp_selection),
  };
}

export function check(draft: Draft): DraftProblems {
  const problems: DraftProblems = {};
  const bytes = byteLength(draft.data);
  if (draft.data.trim() === '') problems.data = 'The alert needs some text.';
  else if (bytes > MAX_DATA_BYTES) {
    problems.data = `The alert has ${formatBytes(bytes)}; at most ${formatBytes(MAX_DATA_BYTES)} are taken.`;
  }
  const runbook = draft.runbook.trim();
  // Which addresses are allowed is the API's to say: it knows the hosts, and whether there is a folder.
  if (runbook !== '' && !URL.canParse(runbook)) {
    problems.runbook =
      'Write a whole address: https://…, or file:///NAME.md for a runbook of the folder.';
  }
  return problems;
}

export function toSubmission(draft: Draft): AlertSubmission {
  const runbook = draft.runbook.trim();
  const mcp = toWish(draft.tools);
  return {
    data: draft.data,
    ...(draft.alertType === '' ? {} : { alert_type: draft.alertType }),
    ...(runbook === '' ? {} : { runbook }),
    ...(mcp === undefined ? {} : { mcp }),
  };
}

const fieldNames: ReadonlyMap<string, keyof Draft> = new Map<string, keyof Draft>([
  ['data', 'data'],
  ['alert_type', 'alertType'],
  ['runbook', 'runbook'],
]);

const names: Readonly<Record<keyof Draft, string>> = {
  data: 'The alert data',
  alertType: 'The alert type',
  runbook: 'The runbook',
  tools: 'The choice of tools',
};

const verb = /^(?:is|are|has|must|may|can|cannot|carries|names|needs|does|contains)\b/;

/** The API says mostly only what is wrong with a field, beginning in the middle of a sentence. */
function asSentence(name: string, message: string): string {
  return verb.test(message) ? `${name} ${message}` : message;
}

/** Puts the API's complaints at their fields; those about no field of ours stay in `rest`. */
export function placeProblems(error: ApiError | null): {
  at: DraftProblems;
  rest: readonly string[];
} {
  const at: DraftProblems = {};
  const rest: string[] = [];
  for (const { field, message } of error?.fields ?? []) {
    const own = fieldNames.get(field);
    if (own) at[own] = asSentence(names[own], message);
    else if (field === 'mcp' || field.startsWith('mcp.')) at.tools ??= `${field} ${message}`;
    else rest.push(`${field}: ${message}`);
  }
  return { at, rest };
}
