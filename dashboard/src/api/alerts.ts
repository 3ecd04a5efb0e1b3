/** Alert types, example alerts and alert submission. */
import { z } from './zod';
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { list, nullableText, text, textOrEmpty } from './fields';
import type { SessionDetail } from './sessions';

const alertTypes = z.object({
  alert_types: list(
    z.object({
      type: text,
      chain_id: textOrEmpty,
      description: textOrEmpty,
      /** Why its alerts cannot be investigated with tools. */
      problem: nullableText,
    }),
  ),
  default_chain_id: nullableText,
  default_alert_type: nullableText,
});

const exampleAlert = z.object({
  name: text,
  title: text,
  description: textOrEmpty,
  alert_type: nullableText,
  data: text,
  /** Why it cannot be investigated with tools here. */
  problem: nullableText,
});

const submission = z.object({
  session_id: text,
  status: text,
  message: textOrEmpty,
  /** What the alert requests without an effect, as sentences. */
  warnings: list(text),
});

export type AlertTypes = z.infer<typeof alertTypes>;
export type ExampleAlert = z.infer<typeof exampleAlert>;

export interface ToolSelection {
  readonly servers?: readonly { readonly name: string; readonly tools?: readonly string[] }[];
  readonly without_servers?: boolean;
  readonly native_tools?: Readonly<Record<string, boolean>>;
}

export interface AlertSubmission {
  readonly data: string;
  readonly alert_type?: string;
  readonly runbook?: string;
  readonly mcp?: ToolSelection;
  readonly provider?: string;
  readonly slack_message_fingerprint?: string;
  readonly title?: string;
  readonly severity?: string;
  readonly service?: string;
  readonly namespace?: string;
  readonly cluster?: string;
  readonly fingerprint?: string;
  readonly links?: SessionDetail['links'];
  readonly labels?: SessionDetail['labels'];
}

/** The alert of a session, as it was submitted. */
export function submissionOf(session: SessionDetail): AlertSubmission {
  const { alert_type, alert_data, runbook_url, requested_provider, slack_message_fingerprint } =
    session;
  return {
    ...(alert_type === null ? {} : { alert_type }),
    data: alert_data,
    ...(runbook_url === null || runbook_url === '' ? {} : { runbook: runbook_url }),
    ...toolsOf(session.mcp_selection),
    ...(requested_provider === null ? {} : { provider: requested_provider }),
    ...(slack_message_fingerprint === null ? {} : { slack_message_fingerprint }),
    ...identityOf(session),
  };
}

/** What the sender of a session's alert stated beside its text. */
export function identityOf(session: SessionDetail): Partial<AlertSubmission> {
  const { title, severity, service, namespace, cluster, fingerprint, links, labels } = session;
  const texts = { title, severity, service, namespace, cluster, fingerprint };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== null)),
    ...(links.length > 0 ? { links } : {}),
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
  };
}

function toolsOf(selection: SessionDetail['mcp_selection']): Pick<AlertSubmission, 'mcp'> {
  if (selection === null) return {};
  const { servers, without_servers, native_tools } = selection;
  const chosen = Object.entries(native_tools).flatMap(([name, on]) =>
    typeof on === 'boolean' ? [[name, on] as const] : [],
  );
  return {
    mcp: {
      ...(servers.length > 0 ? { servers: servers.map(toServer) } : {}),
      ...(without_servers ? { without_servers } : {}),
      ...(chosen.length > 0 ? { native_tools: Object.fromEntries(chosen) } : {}),
    },
  };
}

/** Without tools: all of the server. */
function toServer({ name, tools }: { readonly name: string; readonly tools: string[] | null }) {
  return tools === null ? { name } : { name, tools };
}

/** URLs of the listed runbooks. A submission may name any other allowed URL. */
export function getRunbooks(signal?: AbortSignal) {
  return request(list(text), endpoints.runbooks, { signal });
}

export function getAlertTypes(signal?: AbortSignal) {
  return request(alertTypes, endpoints.alertTypes, { signal });
}

export function getExampleAlerts(signal?: AbortSignal) {
  return request(z.object({ examples: list(exampleAlert) }), endpoints.exampleAlerts, { signal });
}

export function submitAlert(alert: AlertSubmission, idempotencyKey: string) {
  return request(submission, endpoints.alerts, {
    method: 'POST',
    body: alert,
    headers: { 'Idempotency-Key': idempotencyKey },
  });
}
