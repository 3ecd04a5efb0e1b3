/** Why sessions and agents failed, from the facts that the API has. */

export interface FailureFacts {
  readonly code: string;
  /** In the words of who failed. */
  readonly reason: string;
  readonly stage: string | null;
  readonly agent: string | null;
  readonly provider: string | null;
  readonly remedy: string;
  /** A page of the documentation with its heading, such as `operating.md#keys-of-models`. */
  readonly document: string | null;
}

/** A place of the documentation. */
export interface Explained {
  readonly page: string;
  readonly anchor: string;
}

interface Failing {
  readonly failure: FailureFacts | null;
  readonly error_message: string | null;
}

const sentence = (text: string) => text.replace(/^\p{Ll}/u, (first) => first.toUpperCase());

/** What happened, with the provider that failed. */
export function happened({ reason, provider }: FailureFacts): string {
  const text = sentence(reason);
  return provider === null ? text : `Provider ${provider} failed: ${text}`;
}

/** The same of a record; of one without facts, the sentence that was stored; null if nothing failed. */
export function whyFailed({ failure, error_message: error }: Failing): string | null {
  return failure === null ? error && sentence(error) : happened(failure);
}

/** What happened and what to do. */
export function failureSentences(failing: Failing): string | null {
  const why = whyFailed(failing);
  if (why === null || failing.failure === null) return why;
  return `${/[.!?]$/.test(why) ? why : `${why}.`} ${failing.failure.remedy}`;
}

/** The document that says more; null without one. */
export function explanationOf({ document }: FailureFacts): Explained | null {
  if (document === null) return null;
  const [page = '', anchor = ''] = document.split('#');
  return { page: page.replace(/\.md$/, ''), anchor };
}
