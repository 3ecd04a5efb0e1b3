/** What people think of the findings of sessions. */
import type { Tone } from './status';

export const REVIEWS = ['accurate', 'partly', 'wrong'] as const;

interface ReviewDescription {
  readonly label: string;
  readonly tone: Tone;
}

const descriptions: Readonly<Record<string, ReviewDescription>> = {
  accurate: { label: 'Accurate', tone: 'success' },
  partly: { label: 'Partly accurate', tone: 'warning' },
  wrong: { label: 'Wrong', tone: 'error' },
};

/** An unknown word is its own label. */
export function describeReview(review: string): ReviewDescription {
  return descriptions[review] ?? { label: review, tone: 'neutral' };
}

export const REVIEW_FILTERS = ['reviewed', 'unreviewed', ...REVIEWS] as const;

export const reviewOptions: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'reviewed', label: 'Reviewed' },
  { value: 'unreviewed', label: 'Not reviewed' },
  ...REVIEWS.map((review) => ({ value: review, label: describeReview(review).label })),
];
