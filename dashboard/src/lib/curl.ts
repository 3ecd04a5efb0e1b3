/** Requests as commands for a shell. */

/** Quotes a word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * A command that posts JSON. It reads the API token from the environment variable `TARSY_TOKEN`, so that none is
 * copied.
 */
export function curlPost(url: string, body: object): string {
  const lines = [
    `curl --fail-with-body ${quote(url)}`,
    '--header "Authorization: Bearer $TARSY_TOKEN"',
    `--header ${quote('Content-Type: application/json')}`,
    `--data ${quote(JSON.stringify(body, null, 2))}`,
  ];
  return lines.join(' \\\n  ');
}
