/** System state: tool servers, warnings, services, the model in use, health. */
import { queryOptions } from '@tanstack/react-query';
import { z } from './zod';
import { printValue } from '../lib/text/format';
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import {
  count,
  flag,
  list,
  nullableNumber,
  nullableText,
  metadata,
  text,
  textOrEmpty,
  withDefault,
} from './fields';
import { keys } from './keys';

const warning = z.object({
  id: text,
  category: text,
  message: text,
  details: z.pipe(z.optional(z.unknown()), z.transform(printValue)),
  server_id: nullableText,
  created_at: textOrEmpty,
  /** What to do about it; null when that is not known. */
  advice: nullableText,
});

const tool = z.object({
  name: text,
  description: textOrEmpty,
  /** JSON Schema of the arguments; null when the server published none. */
  input_schema: metadata,
  annotations: withDefault(z.object({ read_only: flag, idempotent: flag }), {
    read_only: false,
    idempotent: false,
  }),
  class: textOrEmpty,
  class_reason: textOrEmpty,
  /** operator, server, name, parameters, call (each call by its arguments) or nobody. */
  class_decided_by: textOrEmpty,
  /** accepted, changed or new since the tools of the server were accepted; none if they never were. */
  pin: textOrEmpty,
});

const mcpServer = z.object({
  id: text,
  healthy: flag,
  last_check: nullableText,
  tool_count: count,
  tools: list(tool),
  error: nullableText,
  /** It comes with TARSy, does not work, and nobody set it up. */
  not_configured: flag,
  policy_mode: textOrEmpty,
  accepted: flag,
});

const service = z.object({
  service: text,
  instance: textOrEmpty,
  version: textOrEmpty,
  config_hash: textOrEmpty,
  capacity: count,
  load: count,
  seen_at: textOrEmpty,
});

const services = z.object({
  services: list(service),
  /** Services that should run and have no heartbeat. */
  missing: list(text),
});

const defaultTools = z.object({
  alert_type: textOrEmpty,
  mcp_servers: list(text),
  native_tools: z.catch(z.record(z.string(), z.boolean()), {}),
  /** What an alert may request instead. */
  allowed_mcp_servers: list(text),
  allowed_native_tools: list(text),
  allowed_providers: list(text),
});

const systemInfo = z.object({
  version: textOrEmpty,
  llm: z.object({
    provider: textOrEmpty,
    model: textOrEmpty,
    backend: textOrEmpty,
    offline: flag,
    message: textOrEmpty,
  }),
  providers: list(
    z.object({
      name: text,
      model: textOrEmpty,
      usable: flag,
      /** Why it cannot be called. */
      reason: nullableText,
    }),
  ),
  /** Where notifications go, by name. */
  destinations: list(text),
});

const lease = z.object({
  session_id: text,
  owner: textOrEmpty,
  expires_at: textOrEmpty,
  is_expired: flag,
  attempts: count,
});

/** A server that follows PostgreSQL; null is what the role of TARSy may not see. */
const standby = z.object({ name: text, state: nullableText, lag_bytes: nullableNumber });

const stream = z.object({
  name: text,
  messages: count,
  bytes: count,
  max_bytes: count,
  /** It refuses messages when it is full, instead of dropping the oldest. */
  refuses_when_full: flag,
  /** How many servers are to keep it, and how many have all of it. */
  replicas: count,
  current_replicas: count,
  consumers: list(z.object({ name: text, pending: count, unacknowledged: count })),
});

const providerCalls = z.object({
  provider: text,
  calls: count,
  failed: count,
  last_call_at: textOrEmpty,
  last_failure: withDefault(
    z.object({ session_id: text, at: textOrEmpty, message: textOrEmpty }),
    null,
  ),
});

/** A part that cannot be reached is null. */
const systemState = z.object({
  database: withDefault(
    z.object({
      version: textOrEmpty,
      size_bytes: count,
      /** Those to all databases of the server, of which it accepts max_connections. */
      server_connections: count,
      max_connections: count,
      read_only: flag,
      /** How the schema differs from that of TARSy. */
      schema: withDefault(z.object({ problem: nullableText }), { problem: null }),
      standbys: list(standby),
    }),
    null,
  ),
  bus: withDefault(
    z.object({ version: textOrEmpty, storage_bytes: count, max_storage_bytes: nullableNumber }),
    null,
  ),
  queue: withDefault(
    z.object({
      pending: count,
      oldest_pending_at: nullableText,
      in_progress: count,
      waiting_for_approval: count,
      dead_letters: count,
      leases: list(lease),
    }),
    null,
  ),
  streams: withDefault(z.array(stream), null),
  /** Null also without a model: then there is none. */
  llm_service: withDefault(
    z.object({
      replicas: count,
      connected_replicas: count,
      answered_at: nullableText,
      /** Why it does not answer. */
      problem: nullableText,
    }),
    null,
  ),
  /** The providers that were called within the last hour. */
  providers: withDefault(z.array(providerCalls), null),
});

const health = z.object({ status: text, version: textOrEmpty });

export type Warning = z.infer<typeof warning>;
export type McpServer = z.infer<typeof mcpServer>;
export type Tool = z.infer<typeof tool>;
export type Service = z.infer<typeof service>;
export type DefaultTools = z.infer<typeof defaultTools>;
export type LlmService = NonNullable<SystemState['llm_service']>;
export type ProviderCalls = z.infer<typeof providerCalls>;
export type SystemState = z.infer<typeof systemState>;
export type StreamState = z.infer<typeof stream>;
export type SessionLease = z.infer<typeof lease>;
export type SystemInfo = z.infer<typeof systemInfo>;

export function getWarnings(signal?: AbortSignal) {
  return request(z.object({ warnings: list(warning) }), endpoints.warnings, { signal });
}

export function getMcpServers(signal?: AbortSignal) {
  return request(z.object({ servers: list(mcpServer) }), endpoints.mcpServers, { signal });
}

const testedServer = z.object({
  tool_count: count,
  /** Why it is not reachable. */
  error: nullableText,
  duration_ms: count,
});

/** Connects to a tool server and lists its tools; takes up to 20 s. */
export function testMcpServer(server: string) {
  return request(testedServer, endpoints.testMcpServer(server), { method: 'POST' });
}

const askedProvider = z.object({
  /** Why the model did not answer. */
  error: nullableText,
  duration_ms: count,
});

/** Asks the model of a provider for a word; takes up to a minute. */
export function testProvider(name: string) {
  return request(askedProvider, endpoints.testProvider(name), { method: 'POST' });
}

export function getServices(signal?: AbortSignal) {
  return request(services, endpoints.services, { signal });
}

/** The tools of the chain that handles an alert type. */
export function getDefaultTools(alertType: string, signal?: AbortSignal) {
  const query = alertType === '' ? '' : `?${new URLSearchParams({ alert_type: alertType })}`;
  return request(defaultTools, `${endpoints.defaultTools}${query}`, { signal });
}

/** The version, and the configured providers of language models with the one in use. */
export const systemInfoQuery = queryOptions({
  queryKey: keys.systemInfo,
  queryFn: ({ signal }) => request(systemInfo, endpoints.systemInfo, { signal }),
  staleTime: 60_000,
});

export function getSystemState(signal?: AbortSignal) {
  return request(systemState, endpoints.systemState, { signal });
}

/** An unhealthy service responds with 503 and the same body. */
export function getHealth(signal?: AbortSignal) {
  return request(health, endpoints.health, { signal, accept: [503] });
}
