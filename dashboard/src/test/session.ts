/** The session of the page tests. */
import { sessionDetail } from './builders';
import { openPage } from './render';
import { answer, server } from './server';

export const SESSION_ID = 'aaaaaaaa-0000-7000-8000-000000000001';
export const sessionPath = `/api/v1/sessions/${SESSION_ID}`;

/** Serves the session with some fields changed, and its timeline. */
export function serveSession(changes: object = {}, events: readonly object[] = []): void {
  server.use(
    answer(sessionPath, sessionDetail(changes)),
    answer(`${sessionPath}/timeline`, [...events]),
  );
}

export function openSession() {
  return openPage(`/sessions/${SESSION_ID}`);
}
