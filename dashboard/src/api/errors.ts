import { z } from './zod';

/** A validation error of one request field. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

interface ApiErrorParts {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly fields?: readonly FieldProblem[];
  readonly retryAfterSeconds?: number | null;
  readonly signIn?: string | null;
  readonly traceId?: string | null;
}

/** A failed request. `status` is 0 when there was no response or an unreadable one. */
export class ApiError extends Error {
  readonly status: number;
  readonly title: string;
  readonly fields: readonly FieldProblem[];
  readonly retryAfterSeconds: number | null;
  /** Where the user signs in, if the server says so. */
  readonly signIn: string | null;
  /** Under which the server's log has the request, if it answered. */
  readonly traceId: string | null;

  constructor(parts: ApiErrorParts) {
    super(parts.message);
    this.name = 'ApiError';
    this.status = parts.status;
    this.title = parts.title;
    this.fields = parts.fields ?? [];
    this.retryAfterSeconds = parts.retryAfterSeconds ?? null;
    this.signIn = parts.signIn ?? null;
    this.traceId = parts.traceId ?? null;
  }

  /** True when a retry may succeed: no response, 429 or 5xx. */
  get transient(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const problem = z.object({
  title: z.nullish(z.string()),
  detail: z.nullish(z.string()),
  message: z.nullish(z.string()),
  sign_in: z.nullish(z.string()),
  trace_id: z.nullish(z.string()),
  errors: z.nullish(
    z.array(
      z.object({
        field: z.string(),
        message: z.nullish(z.string()),
        detail: z.nullish(z.string()),
      }),
    ),
  ),
});

export function unreachable(): ApiError {
  return new ApiError({
    status: 0,
    title: 'TARSy cannot be reached',
    message: 'The server did not respond. Check the network and whether TARSy is running.',
  });
}

/** A proxy in front of TARSy redirected the request to its sign-in page. */
export function signedOut(): ApiError {
  return fromProblem(401, null, null);
}

export function unreadable(path: string, cause: string): ApiError {
  return new ApiError({
    status: 0,
    title: 'Invalid response',
    message: `${path} returned a response this dashboard cannot read: ${cause}`,
  });
}

/** Converts an RFC 9457 problem document, or any other error body, to an `ApiError`. */
export function fromProblem(status: number, body: unknown, retryAfter: string | null): ApiError {
  const parsed = problem.safeParse(body);
  const document = parsed.success ? parsed.data : {};
  const title = document.title ?? fallbackTitle(status);
  return new ApiError({
    status,
    title,
    message: document.detail ?? document.message ?? fallbackMessage(status) ?? title,
    fields: (document.errors ?? []).map(({ field, message, detail }) => ({
      field,
      message: message ?? detail ?? 'is invalid',
    })),
    retryAfterSeconds: readRetryAfter(retryAfter),
    signIn: document.sign_in ?? null,
    traceId: document.trace_id ?? null,
  });
}

function fallbackTitle(status: number): string {
  if (status === 401) return 'You are not signed in';
  if (status === 403) return 'Access denied';
  if (status === 404) return 'Not found';
  if (status === 429) return 'Too many requests';
  if (status >= 500) return 'Server error';
  return `Request failed (${status})`;
}

function fallbackMessage(status: number): string | null {
  if (status === 401) return 'Your sign-in may have expired. Reload the page to sign in again.';
  if (status === 403) return 'Your account does not have permission to do this.';
  if (status === 429) return 'TARSy is busy. Try again in a moment.';
  if (status === 500) return 'The log of api-gateway has the cause.';
  // A proxy answers so in its place.
  if (status >= 502) return 'api-gateway does not answer. Check that it is running.';
  return null;
}

function readRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null;
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError({
    status: 0,
    title: 'The dashboard failed. Reload the page.',
    message: error instanceof Error ? error.message : String(error),
  });
}
