/** Taking in alerts: what kinds there are, examples, and the submission itself. */
import { z } from './zod';
import { endpoints } from '../lib/paths';
import { request } from './client';
import { list, maybeText, text, textOrEmpty } from './fields';

const alertTypes = z.object({
  alert_types: list(z.object({ type: text, chain_id: textOrEmpty, description: textOrEmpty })),
  default_chain_id: maybeText,
  default_alert_type: maybeText,
});

const exampleAlert = z.object({
  name: text,
  title: text,
  description: textOrEmpty,
  alert_type: maybeText,
  data: text,
});

const submitted = z.object({ session_id: text, status: text, message: textOrEmpty });

export type AlertTypes = z.infer<typeof alertTypes>;
export type ExampleAlert = z.infer<typeof exampleAlert>;

export interface ToolWish {
  readonly servers?: readonly { readonly name: string; readonly tools?: readonly string[] }[];
  readonly native_tools?: Readonly<Record<string, boolean>>;
}

export interface AlertSubmission {
  readonly data: string;
  readonly alert_type?: string;
  readonly runbook?: string;
  readonly mcp?: ToolWish;
}

/** The addresses of the runbooks that are known; any other may be written by hand. */
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
  return request(submitted, endpoints.alerts, {
    method: 'POST',
    body: alert,
    headers: { 'Idempotency-Key': idempotencyKey },
  });
}
