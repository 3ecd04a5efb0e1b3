/** The state of the submit form, its client-side validation and its request. */
import { identityOf, type AlertSubmission } from '../../api/alerts';
import type { ApiError } from '../../api/errors';
import type { SessionDetail } from '../../api/sessions';
import { textOrEmpty } from '../../api/fields';
import { z } from '../../api/zod';
import { byteLength } from '../../lib/text/utf8';
import { formatBytes } from '../../lib/text/format';
import { chainDefault, fromSubmitted, toSubmitted, type ToolSelection } from './toolSelection';

/** The API rejects larger alerts. */
export const MAX_DATA_BYTES = 1024 * 1024;

export interface Draft {
  readonly alertType: string;
  readonly data: string;
  readonly runbook: string;
  readonly tools: ToolSelection;
  /** The name of the provider; empty leaves it to the chain. */
  readonly provider: string;
}

/** Text fields of the form. */
export type DraftField = Exclude<keyof Draft, 'tools'>;
export type DraftProblems = Partial<Record<keyof Draft, string>>;

export interface FieldProps {
  readonly value: string;
  readonly problem: string | undefined;
  readonly change: (value: string) => void;
}

export const emptyDraft: Draft = {
  alertType: '',
  data: '',
  runbook: '',
  tools: chainDefault,
  provider: '',
};

/** A draft with the alert of an earlier session. Masked values stay masked. */
export function fromSession(session: SessionDetail): Draft {
  return {
    alertType: session.alert_type ?? '',
    data: session.alert_data,
    runbook: session.runbook_url ?? '',
    tools: fromSubmitted(session.mcp_selection),
    provider: session.requested_provider ?? '',
  };
}

const storedDraft = z.object({
  alertType: z.string(),
  data: z.string(),
  runbook: z.string(),
  tools: z.object({
    servers: z.record(z.string(), z.union([z.literal('all'), z.array(z.string())])),
    withoutServers: z.boolean(),
    native: z.record(z.string(), z.boolean()),
  }),
  provider: textOrEmpty,
});

/** A draft that the browser has stored; null when it is none. */
export function parseDraft(stored: unknown): Draft | null {
  const parsed = storedDraft.safeParse(stored);
  return parsed.success ? parsed.data : null;
}

export function validate(draft: Draft): DraftProblems {
  const problems: DraftProblems = {};
  const bytes = byteLength(draft.data);
  if (draft.data.trim() === '') problems.data = 'Alert data is required.';
  else if (bytes > MAX_DATA_BYTES) {
    problems.data = `The alert is ${formatBytes(bytes)}; the limit is ${formatBytes(MAX_DATA_BYTES)}.`;
  }
  const runbook = draft.runbook.trim();
  // The API checks the host: only it has the list of allowed hosts.
  if (runbook !== '' && !URL.canParse(runbook)) {
    problems.runbook =
      'Enter a full URL: https://…, or file:///NAME.md for a runbook in the local folder.';
  }
  return problems;
}

/** With what was stated beside the text of an earlier session's alert, unless that text was changed: it may be another problem. */
export function toSubmission(draft: Draft, earlier?: SessionDetail): AlertSubmission {
  const runbook = draft.runbook.trim();
  const mcp = toSubmitted(draft.tools);
  return {
    data: draft.data,
    ...(draft.alertType === '' ? {} : { alert_type: draft.alertType }),
    ...(runbook === '' ? {} : { runbook }),
    ...(mcp === undefined ? {} : { mcp }),
    ...(draft.provider === '' ? {} : { provider: draft.provider }),
    ...(earlier?.alert_data === draft.data ? identityOf(earlier) : {}),
  };
}

const apiFields: ReadonlyMap<string, keyof Draft> = new Map<string, keyof Draft>([
  ['data', 'data'],
  ['alert_type', 'alertType'],
  ['runbook', 'runbook'],
  ['provider', 'provider'],
]);

const labels: Readonly<Record<keyof Draft, string>> = {
  data: 'The alert data',
  alertType: 'The alert type',
  runbook: 'The runbook',
  tools: 'The tool selection',
  provider: 'The provider',
};

const startsWithVerb = /^(?:is|are|has|must|may|can|cannot|carries|names|needs|does|contains)\b/;

/** Most field messages of the API start with a verb, such as "is too long"; those get the label in front. */
function asSentence(label: string, message: string): string {
  return startsWithVerb.test(message) ? `${label} ${message}` : message;
}

/** Assigns the field errors of the API to fields of the form; `other` has the remaining ones. */
export function fieldProblems(error: ApiError | null): {
  byField: DraftProblems;
  other: readonly string[];
} {
  const byField: DraftProblems = {};
  const other: string[] = [];
  for (const { field, message } of error?.fields ?? []) {
    const name = apiFields.get(field);
    if (name) byField[name] = asSentence(labels[name], message);
    else if (field === 'mcp' || field.startsWith('mcp.')) byField.tools ??= `${field} ${message}`;
    else other.push(`${field}: ${message}`);
  }
  return { byField, other };
}
