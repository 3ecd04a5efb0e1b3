import { z } from './zod';

/** A problem of one field of a request, as the API names it. */
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
}

/** A request that brought no usable answer. `status` is 0 if no answer came at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly title: string;
  readonly fields: readonly FieldProblem[];
  readonly retryAfterSeconds: number | null;

  constructor(parts: ApiErrorParts) {
    super(parts.message);
    this.name = 'ApiError';
    this.status = parts.status;
    this.title = parts.title;
    this.fields = parts.fields ?? [];
    this.retryAfterSeconds = parts.retryAfterSeconds ?? null;
  }

  /** Whether asking again later may help. */
  get transient(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const problem = z.object({
  title: z.string().nullish(),
  detail: z.string().nullish(),
  message: z.string().nullish(),
  errors: z
    .array(
      z.object({ field: z.string(), message: z.string().nullish(), detail: z.string().nullish() }),
    )
    .nullish(),
});

export function unreachable(): ApiError {
  return new ApiError({
    status: 0,
    title: 'TARSy cannot be reached',
    message: 'No answer from the server. Check the network, or whether TARSy is running.',
  });
}

/** A proxy in front of TARSy wants to lead somewhere else: to its sign-in. */
export function signedOut(): ApiError {
  return fromProblem(401, null, null);
}

export function unreadable(path: string, cause: string): ApiError {
  return new ApiError({
    status: 0,
    title: 'The answer could not be read',
    message: `${path} answered something this dashboard does not understand: ${cause}`,
  });
}

/** Turns an RFC 9457 problem document (or whatever came in its place) into an error. */
export function fromProblem(status: number, body: unknown, retryAfter: string | null): ApiError {
  const parsed = problem.safeParse(body);
  const found = parsed.success ? parsed.data : {};
  const title = found.title ?? fallbackTitle(status);
  return new ApiError({
    status,
    title,
    message: found.detail ?? found.message ?? fallbackMessage(status) ?? title,
    fields: (found.errors ?? []).map(({ field, message, detail }) => ({
      field,
      message: message ?? detail ?? 'is not valid',
    })),
    retryAfterSeconds: readRetryAfter(retryAfter),
  });
}

function fallbackTitle(status: number): string {
  if (status === 401) return 'You are not signed in';
  if (status === 403) return 'You may not see this';
  if (status === 404) return 'Not found';
  if (status === 429) return 'Too many requests';
  if (status >= 500) return 'TARSy has a problem';
  return `The request was refused (${status})`;
}

function fallbackMessage(status: number): string | null {
  if (status === 401) return 'Your sign-in may have ended. Reload the page to sign in again.';
  if (status === 403) return 'Your account is not allowed to do this.';
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
    title: 'Something went wrong',
    message: error instanceof Error ? error.message : String(error),
  });
}
