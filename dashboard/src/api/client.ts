/** One way to ask the API: JSON in, JSON out, answers checked, failures as `ApiError`. */
import type { z } from './zod';
import { fromProblem, signedOut, unreachable, unreadable } from './errors';

interface RequestOptions {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Statuses besides 2xx whose body is an answer rather than a problem. */
  readonly accept?: readonly number[];
}

export async function request<S extends z.ZodType>(
  schema: S,
  path: string,
  options: RequestOptions = {},
): Promise<z.infer<S>> {
  const response = await send(path, options);
  const body = await readJson(response);
  const welcome = response.ok || (options.accept ?? []).includes(response.status);
  if (!welcome) throw fromProblem(response.status, body, response.headers.get('Retry-After'));
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw unreadable(path, issue ? `${issue.path.join('.')}: ${issue.message}` : 'no detail');
  }
  return parsed.data;
}

/** A text answer, as it is. */
export async function requestText(path: string, signal?: AbortSignal): Promise<string> {
  const response = await send(path, { signal, headers: { Accept: 'text/plain' } });
  if (response.ok) return response.text();
  throw fromProblem(response.status, await readJson(response), response.headers.get('Retry-After'));
}

/** The API itself never leads elsewhere. */
async function send(path: string, options: RequestOptions): Promise<Response> {
  const response = await ask(path, options);
  const elsewhere = response.status >= 300 && response.status < 400;
  if (elsewhere || response.type === 'opaqueredirect') throw signedOut();
  return response;
}

async function ask(path: string, options: RequestOptions): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json', ...options.headers };
  if (options.body !== undefined) headers['Content-Type'] = 'application/json';
  try {
    return await fetch(path, {
      method: options.method ?? 'GET',
      headers,
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: options.signal ?? null,
      credentials: 'same-origin',
      redirect: 'manual',
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
