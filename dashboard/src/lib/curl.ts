/** Requests as commands for a shell. */

/** Quotes a word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** It reads the API token from the environment variable `TARSY_TOKEN`, so that none is copied. */
function command(url: string, options: readonly string[]): string {
  const start = [
    `curl --fail-with-body ${quote(url)}`,
    '--header "Authorization: Bearer $TARSY_TOKEN"',
  ];
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
