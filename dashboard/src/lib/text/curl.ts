/** Requests as commands for a shell. */

/** Quotes a word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** One word, so that zsh passes it on as bash does. */
const authorization = '${TARSY_TOKEN:+-H"Authorization: Bearer $TARSY_TOKEN"}';

/**
 * It reads the API token from the environment variable `TARSY_TOKEN`, so that none is copied. Without the variable it sends no
 * token, as is right where access control is off: an empty one is refused.
 */
function command(url: string, options: readonly string[]): string {
  const start = [`curl --fail-with-body ${quote(url)}`, authorization];
  return [...start, ...options].join(' \\\n  ');
}

/** A command that reads an address of the API. */
export function curlGet(url: string): string {
  return command(url, []);
}

/** A command that posts JSON. */
export function curlPost(url: string, body: object): string {
  return command(url, [
    `--header ${quote('Content-Type: application/json')}`,
    `--data ${quote(JSON.stringify(body, null, 2))}`,
  ]);
}
