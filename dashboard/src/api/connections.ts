/** Systems that can be connected: the lines of tarsy.yaml for each, and a trial of an address. */
import { queryOptions } from '@tanstack/react-query';
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { count, flag, list, nullableText, text, textOrEmpty } from './fields';
import { keys } from './keys';
import { z } from './zod';

const field = z.object({
  name: text,
  label: text,
  help: textOrEmpty,
  default: textOrEmpty,
  required: flag,
});

const kind = z.object({
  name: text,
  title: text,
  description: textOrEmpty,
  /** What the machine of the tool gateway needs; empty for nothing. */
  requires: textOrEmpty,
  fields: list(field),
  /** Whether its address can be tried before it is configured. */
  can_be_tried: flag,
});

const lines = z.object({
  /** The id of its tool server. */
  server: text,
  yaml: text,
  /** The environment variables that the tool gateway needs. */
  variables: list(text),
  /** Whether the configuration has a tool server of this id. */
  replaces: flag,
});

const trial = z.object({
  tools: list(z.object({ name: text, description: textOrEmpty, class: textOrEmpty })),
  /** Why the address is not reachable. */
  error: nullableText,
  duration_ms: count,
});

export type ConnectionField = z.infer<typeof field>;
export type ConnectionKind = z.infer<typeof kind>;
export type ConnectionLines = z.infer<typeof lines>;
export type Trial = z.infer<typeof trial>;
/** What is filled in, by the names of the fields. */
export type Values = Readonly<Record<string, string>>;

export const connectionKindsQuery = queryOptions({
  queryKey: keys.connections,
  queryFn: ({ signal }) =>
    request(z.object({ kinds: list(kind) }), endpoints.connections, { signal }),
  staleTime: Infinity,
});

/** The lines for a system; nothing is written or stored. */
export function getLines(body: { readonly kind: string; readonly fields: Values }) {
  return request(lines, endpoints.connections, { method: 'POST', body });
}

/** Connects to an address that is not configured and lists its tools; takes up to 20 s. */
export function tryAddress(url: string) {
  return request(trial, endpoints.connectionTrial, { method: 'POST', body: { url } });
}
