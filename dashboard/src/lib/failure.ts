/** Errors of sessions and agents in the words of an operator. */

/** Where the error happened: that stands beside it, or on the page of the session. */
const place =
  /^stage "[^"]*" (?:failed|timed_out|cancelled): (?:[^:]{1,80} (?:failed|timed_out|cancelled): )?/;

/** How the server begins the error of an agent whose provider failed; older records do not name it. */
const noModel = /^the (?:model|(provider) (\S+)) could not be used: /;

export const isModelError = (error: string): boolean => noModel.test(error.replace(place, ''));

/** Without the stage and the agent; a sentence. */
export function readableError(error: string): string {
  const text = error
    .replace(place, '')
    .replace(noModel, (_, provider?: string, name?: string) =>
      provider === undefined ? 'The model did not answer: ' : `Provider ${name} failed: `,
    );
  return text.replace(/^\p{Ll}/u, (first) => first.toUpperCase());
}
