/** What an alert is about, as its sender stated it. */
import type { Tone } from './status';
import { joinParts } from './format';

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

/** `payments · namespace shop · cluster eu-1`; empty without any. */
export function alertPlace({ service, namespace, cluster }: AlertIdentity): string {
  return joinParts([
    service,
    namespace === null ? null : `namespace ${namespace}`,
    cluster === null ? null : `cluster ${cluster}`,
  ]);
}

/** Whether anything besides the title is known. */
export function hasFacts(alert: AlertIdentity): boolean {
  const { title, alert_type: type, severity } = alert;
  return severity !== null || alertPlace(alert) !== '' || (title !== null && type !== null);
}

const urgent = /^(?:critical|fatal|emergency|page|sev-?[01]|p[01]|high|error)$/;
const moderate = /^(?:warning|warn|medium|sev-?2|p2)$/;

/** Senders use words of their own: what is not known is neutral. */
export function severityTone(severity: string): Tone {
  if (urgent.test(severity)) return 'error';
  return moderate.test(severity) ? 'warning' : 'neutral';
}

/** What monitoring systems call severities; other words can be typed. */
export const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const;
