/** A review that is being written. */
import type { FieldProblem } from '../../api/errors';
import type { NewReview } from '../../api/reviews';
import { readDraft } from '../../lib/browser/drafts';

export const TEXT_FIELDS = ['actual_cause', 'object', 'category'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

export interface ReviewDraft extends Readonly<Record<TextField, string>> {
  /** Empty until it is chosen. */
  readonly review: string;
}

export const emptyDraft: ReviewDraft = { review: '', actual_cause: '', object: '', category: '' };

export function draftName(session: string): string {
  return `review:${session}`;
}

/** The stored draft of this tab; empty without one. */
export function loadDraft(session: string): ReviewDraft {
  const stored = readDraft(draftName(session));
  if (typeof stored !== 'object' || stored === null) return emptyDraft;
  const known = Object.entries(stored).filter(
    ([name, value]) => name in emptyDraft && typeof value === 'string',
  );
  return { ...emptyDraft, ...Object.fromEntries(known) };
}

export function isEmpty(draft: ReviewDraft): boolean {
  return Object.values(draft).every((value) => value === '');
}

/** The request; texts that were left empty are not part of it. */
export function toRequest(draft: ReviewDraft): NewReview {
  const texts = TEXT_FIELDS.map((name) => [name, draft[name].trim()] as const);
  return {
    review: draft.review,
    ...Object.fromEntries(texts.filter(([, value]) => value !== '')),
  };
}

export function problemOf(fields: readonly FieldProblem[], name: TextField): string | undefined {
  return fields.find(({ field }) => field === name)?.message;
}
