/** The session of the page tests. */
import { http, HttpResponse } from 'msw';
import { sessionDetail } from './builders';
import { openPage } from './render';
import { answer, server } from './server';

export const SESSION_ID = 'aaaaaaaa-0000-7000-8000-000000000001';
export const sessionPath = `/api/v1/sessions/${SESSION_ID}`;

interface Numbered {
  readonly sequence_number?: number;
}

/** The part of a timeline that a request asks for. */
export function partOf(events: readonly Numbered[], url: string): readonly Numbered[] {
  const { searchParams: params } = new URL(url);
  const after = Number(params.get('after') ?? -Infinity);
  const rest = events.filter((event) => (event.sequence_number ?? Infinity) > after);
  return rest.slice(0, Number(params.get('limit') ?? rest.length));
}

/** Serves the session with some fields changed, and its timeline. */
export function serveSession(changes: object = {}, events: readonly Numbered[] = []): void {
  server.use(
    answer(sessionPath, sessionDetail(changes)),
    http.get(`${sessionPath}/timeline`, ({ request }) =>
      HttpResponse.json([...partOf(events, request.url)]),
    ),
  );
}

export function openSession() {
  return openPage(`/sessions/${SESSION_ID}`);
}
