/** What an alert is about, as its sender stated it. */
import type { Tone } from './status';
import { formatExact, joinParts } from '../text/format';

export interface AlertIdentity {
  readonly title: string | null;
  readonly alert_type: string | null;
  readonly severity: string | null;
  readonly service: string | null;
  readonly namespace: string | null;
  readonly cluster: string | null;
}

/** The title; without one, the type. */
export function alertTitle({ title, alert_type: type }: Partial<AlertIdentity>): string {
  return title ?? type ?? 'Alert';
}

export interface AlertLink {
  readonly title: string;
  readonly url: string;
}

/** Those that a browser may open. */
export function safeLinks(links: readonly AlertLink[]): readonly AlertLink[] {
  return links.filter(({ url }) => /^https?:\/\//i.test(url));
}

/** `payments`, `namespace shop`, `cluster eu-1`; empty without any. */
export function placeParts({ service, namespace, cluster }: AlertIdentity): readonly string[] {
  const parts = [
    service,
    namespace === null ? null : `namespace ${namespace}`,
    cluster === null ? null : `cluster ${cluster}`,
  ];
  return parts.filter((part) => part !== null);
}

/** `payments · namespace shop · cluster eu-1`; empty without any. */
export function alertPlace(alert: AlertIdentity): string {
  return joinParts(placeParts(alert));
}

/** Earlier sessions of the same alert are counted up to this number. */
const MAX_EARLIER = 100;

/** `3`, or `100+`. */
export function earlierCount(count: number): string {
  return count >= MAX_EARLIER ? `${formatExact(MAX_EARLIER)}+` : formatExact(count);
}

/** Whether anything besides the title is known. */
export function hasFacts(alert: AlertIdentity): boolean {
  const { title, alert_type: type, severity } = alert;
  return severity !== null || alertPlace(alert) !== '' || (title !== null && type !== null);
}

/** Words of monitoring systems for a severity, the most urgent rank first. */
const ranks: readonly RegExp[] = [
  /^(?:critical|crit|fatal|emergency|emerg|alert|disaster|page|urgent|blocker|down|(?:sev-?|s|p)[01])$/,
  /^(?:error|err|major|severe|high|highest)$/,
  /^(?:warning|warn|medium|moderate|average|minor|degraded|(?:sev-?|s|p)2)$/,
  /^(?:low|lowest|notice|(?:sev-?|s|p)3)$/,
  /^(?:info|information|informational|debug|trace|none|ok|trivial|not classified|(?:sev-?|s|p)[45])$/,
];

/** After warnings, and before what needs no attention. */
const UNKNOWN_RANK = 3;

/** 0 is the most urgent. Senders use words of their own: what is not known keeps its word, and has a rank in the middle. */
export function severityRank(severity: string): number {
  const word = severity.trim().toLowerCase();
  const rank = ranks.findIndex((words) => words.test(word));
  return rank === -1 ? UNKNOWN_RANK : rank;
}

/** The colour of a rank: an unknown word is neutral. */
export function severityTone(severity: string): Tone {
  const rank = severityRank(severity);
  if (rank <= 1) return 'error';
  return rank === 2 ? 'warning' : 'neutral';
}

/** What monitoring systems call severities; other words can be typed. */
export const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const;

/** The most urgent first. */
export function bySeverity(severities: readonly string[]): string[] {
  return [...severities].sort((a, b) => severityRank(a) - severityRank(b));
}
