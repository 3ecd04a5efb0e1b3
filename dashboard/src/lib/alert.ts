/** What an alert is about, as its sender stated it. */
import type { Tone } from './status';
import { formatExact, joinParts } from './format';

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

const urgent =
  /^(?:critical|crit|fatal|emergency|emerg|disaster|page|urgent|blocker|major|severe|(?:sev-?|s|p)[01]|high|highest|error|err)$/;
const moderate = /^(?:warning|warn|medium|moderate|average|(?:sev-?|s|p)2)$/;

/** Senders use words of their own: what is not known is neutral. */
export function severityTone(severity: string): Tone {
  if (urgent.test(severity)) return 'error';
  return moderate.test(severity) ? 'warning' : 'neutral';
}

/** What monitoring systems call severities; other words can be typed. */
export const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const;
