/** The request that submits the alert of a session again. */
import { submissionOf } from '../../api/alerts';
import type { SessionDetail } from '../../api/sessions';
import { curlPost } from '../../lib/text/curl';
import { endpoints } from '../../lib/browser/paths';

export function alertAsCurl(session: SessionDetail, origin: string): string {
  return curlPost(`${origin}${endpoints.alerts}`, submissionOf(session));
}
