/** The HTTP client: JSON requests, responses validated with zod, failures thrown as `ApiError`. */
import { z } from './zod';
import { endpoints, isApiUrl } from '../lib/browser/paths';
import { fromProblem, signedOut, unreachable, unreadable } from './errors';
import { csrfHeaders, reportSignedIn, reportSignedOut } from './signIn';
import { pageKeyHeaders } from './unlock';

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Statuses besides 2xx whose body matches the schema instead of being a problem document. */
  readonly accept?: readonly number[];
}

export async function request<S extends z.ZodMiniType>(
  schema: S,
  path: string,
  options: RequestOptions = {},
): Promise<z.infer<S>> {
  let response = await send(path, options);
  let body = await readJson(response);
  if (isCsrfRefusal(response, body) && (await renewCsrfToken())) {
    response = await send(path, options);
    body = await readJson(response);
  }
  const accepted = response.ok || (options.accept ?? []).includes(response.status);
  if (!accepted) throw fromProblem(response.status, body, response.headers.get('Retry-After'));
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw unreadable(path, issue ? `${issue.path.join('.')}: ${issue.message}` : 'no detail');
  }
  return parsed.data;
}

/** Requests `text/plain`. */
export async function requestText(path: string, signal?: AbortSignal): Promise<string> {
  const response = await send(path, { signal, headers: { Accept: 'text/plain' } });
  if (response.ok) return response.text();
  throw fromProblem(response.status, await readJson(response), response.headers.get('Retry-After'));
}

/**
 * Follows a redirect to another path of the API, which an alias of a session answers. Any other one is that of a
 * sign-in proxy, and throws a 401.
 */
async function send(path: string, options: RequestOptions): Promise<Response> {
  const response = await fetchJson(path, options, 'manual');
  if (response.status === 401) reportSignedOut();
  if (!isRedirect(response)) return response;
  const followed = await fetchJson(path, options, 'follow').catch(() => null);
  if (followed === null || !isApiUrl(followed.url)) {
    reportSignedOut();
    throw signedOut();
  }
  return followed;
}

/** Another tab may have signed in again: the cookie is a new one, and so is its token. */
function isCsrfRefusal(response: Response, body: unknown): boolean {
  if (response.status !== 403) return false;
  const { fields } = fromProblem(response.status, body, null);
  return fields.some(({ field }) => field === 'X-CSRF-Token');
}

async function renewCsrfToken(): Promise<boolean> {
  const body = await readJson(await send(endpoints.me, {}));
  const parsed = z.object({ csrf_token: z.string() }).safeParse(body);
  if (parsed.success) reportSignedIn(parsed.data.csrf_token);
  return parsed.success;
}

function isRedirect(response: Response): boolean {
  const redirected = response.status >= 300 && response.status < 400;
  return redirected || response.type === 'opaqueredirect';
}

async function fetchJson(
  path: string,
  options: RequestOptions,
  redirect: RequestRedirect,
): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json', ...options.headers };
  if (options.body !== undefined) headers['Content-Type'] = 'application/json';
  Object.assign(headers, pageKeyHeaders());
  if (options.method !== undefined) Object.assign(headers, csrfHeaders());
  try {
    return await fetch(path, {
      method: options.method ?? 'GET',
      headers,
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: options.signal ?? null,
      credentials: 'same-origin',
      redirect,
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw unreachable();
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    const body: unknown = await response.json();
    return body;
  } catch {
    return null;
  }
}
