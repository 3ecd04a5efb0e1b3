/** Errors of sessions and agents in the words of an operator. */

/** Where the error happened: that stands beside it, or on the page of the session. */
const place =
  /^stage "[^"]*" (?:failed|timed_out|cancelled): (?:[^:]{1,80} (?:failed|timed_out|cancelled): )?/;

/** How the server begins the error of an agent whose provider failed; older records do not name it. */
const noModel = /^the (?:model|(provider) (\S+)) could not be used: /;

/** How the server ends the error of a failure that a document explains. */
const document = /; see docs\/([\w/-]+)\.md(?:#([\w-]+))?$/;

/** A place of the documentation. */
export interface Explained {
  readonly page: string;
  readonly anchor: string;
}

/** The document that says what to do; null without one. */
export function explanationOf(error: string): Explained | null {
  const [, page, anchor = ''] = document.exec(error) ?? [];
  return page === undefined ? null : { page, anchor };
}

export const isModelError = (error: string): boolean => noModel.test(error.replace(place, ''));

/** Without the stage, the agent and the document; a sentence. */
export function readableError(error: string): string {
  const text = error
    .replace(place, '')
    .replace(document, '')
    .replace(noModel, (_, provider?: string, name?: string) =>
      provider === undefined ? 'The model did not answer: ' : `Provider ${name} failed: `,
    );
  return text.replace(/^\p{Ll}/u, (first) => first.toUpperCase());
}
