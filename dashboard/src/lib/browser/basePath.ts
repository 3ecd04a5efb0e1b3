/** The path below which the dashboard is served, as api-gateway wrote it into the page. */

/** The base path of a document: empty, or with a slash in front and none at its end. */
export function basePathOf(document: Document): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="base-path"]');
  const path = meta?.content ?? '';
  return /^(?:\/[\w.~%-]+)+$/.test(path) ? path : '';
}

export const BASE_PATH = basePathOf(document);
