/** What a document says about a session before its findings. */
import type { SessionDetail } from '../../api/sessions';
import { describeCounts, describeDegradation } from '../../lib/session/claims';
import { link, plain } from '../../lib/text/markdown';
import { describeReview } from '../../lib/session/review';
import { describeStatus } from '../../lib/session/status';
import { formatDateTime, formatDuration } from '../../lib/time/time';
import type { TimelineItem } from '../../live/reduce';
import { injectedSources } from './injected';

/** A term with its value, as plain text. */
export type Fact = readonly [term: string, value: string];

/** What the alert is about, as far as its sender stated it. */
export function alertFacts(session: SessionDetail): readonly Fact[] {
  const { title, alert_type: type, severity, service, namespace, cluster } = session;
  const labels = Object.entries(session.labels).map(([name, text]) => `${name}=${text}`);
  return withValue([
    ['Alert type', title === null ? null : type],
    ['Severity', severity],
    ['Service', service],
    ['Namespace', namespace],
    ['Cluster', cluster],
    ['Labels', labels.length === 0 ? null : labels.join(', ')],
  ]);
}

/** How far the findings can be relied on. */
export function trustFacts(
  session: SessionDetail,
  items: readonly TimelineItem[],
): readonly Fact[] {
  const { claims, degraded, degraded_reasons: reasons, review } = session;
  const injected = injectedSources(items);
  return withValue([
    ['Claims', claims === null ? null : describeCounts(claims)],
    ['Degraded', degraded ? describeDegradation(reasons, session).join(' ') : null],
    ['Injected instructions', injected.length === 0 ? null : injected.join(', ')],
    ['Review', review === null ? null : describeReview(review).label],
  ]);
}

function withValue(facts: readonly (readonly [string, string | null])[]): readonly Fact[] {
  return facts.flatMap(([term, value]) => (value === null ? [] : [[term, value] as const]));
}

/** All facts as a Markdown list. Times are in UTC, because a document is read in many places. */
export function factList(
  session: SessionDetail,
  items: readonly TimelineItem[],
  url: string,
): string {
  const { chain_id: chain, author, created_at: created, completed_at: completed } = session;
  const lines: readonly Fact[] = [
    ...alertFacts(session),
    ['Status', describeStatus(session.status).label],
    ['Chain', chain === '' ? '–' : chain],
    ['Author', author ?? '–'],
    ['Created', formatDateTime(created, 'utc')],
    ['Completed', formatDateTime(completed, 'utc')],
    ['Duration', formatDuration(session.duration_ms)],
    ...trustFacts(session, items),
  ];
  const links = session.links.map(({ title, url: page }) => link(title, page));
  return [
    `- Session: ${url}`,
    ...lines.map(([term, value]) => `- ${term}: ${plain(value)}`),
    ...(links.length === 0 ? [] : [`- Links: ${links.join(', ')}`]),
  ].join('\n');
}
