/** The state of the form for a new token, its validation and its request. */
import type { ApiError } from '../../api/errors';
import type { NewToken } from '../../api/tokens';

/** The limits of the API. */
const MAX_NAME = 100;
const MAX_DAYS = 3650;

export const roles = [
  { id: 'viewer', description: 'reads everything but the audit log' },
  { id: 'responder', description: 'also submits alerts, asks questions and cancels' },
  { id: 'operator', description: 'also reads the audit log' },
  { id: 'admin', description: 'also manages API tokens' },
] as const;

export interface Draft {
  readonly name: string;
  readonly kind: 'source' | 'role';
  readonly alertTypes: readonly string[];
  readonly role: string;
  readonly days: string;
}

export type DraftProblems = Partial<Record<keyof Draft, string>>;

export const emptyDraft: Draft = {
  name: '',
  kind: 'source',
  alertTypes: [],
  role: 'viewer',
  days: '90',
};

export function validate(draft: Draft): DraftProblems {
  const problems: DraftProblems = {};
  const name = draft.name.trim();
  if (name === '') problems.name = 'A name is required.';
  else if ([...name].length > MAX_NAME) problems.name = `Use at most ${MAX_NAME} characters.`;
  if (draft.kind === 'source' && draft.alertTypes.length === 0) {
    problems.alertTypes = 'Choose at least one alert type.';
  }
  const days = Number(draft.days);
  if (draft.days.trim() === '' || !Number.isInteger(days) || days < 1 || days > MAX_DAYS) {
    problems.days = `Enter a whole number of days from 1 to ${MAX_DAYS}.`;
  }
  return problems;
}

export function toRequest(draft: Draft): NewToken {
  const grant = draft.kind === 'role' ? { role: draft.role } : { alert_types: draft.alertTypes };
  return { name: draft.name.trim(), expires_in_days: Number(draft.days), ...grant };
}

const apiFields: ReadonlyMap<string, keyof Draft> = new Map<string, keyof Draft>([
  ['name', 'name'],
  ['alert_types', 'alertTypes'],
  ['role', 'role'],
  ['expires_in_days', 'days'],
]);

/** The problems of the form's fields that a response names. */
export function problemsOf(error: ApiError | null): DraftProblems {
  const problems: DraftProblems = {};
  if (error?.status === 409) problems.name = 'A token has this name. Revoke it, or use another.';
  for (const { field, message } of error?.fields ?? []) {
    const name = apiFields.get(field);
    if (name) problems[name] = message;
  }
  return problems;
}
