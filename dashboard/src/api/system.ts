/** The state of TARSy itself: tool servers, warnings, the model in use, health. */
import { z } from './zod';
import { printValue } from '../lib/format';
import { endpoints } from '../lib/paths';
import { request } from './client';
import { count, flag, list, maybeText, text, textOrEmpty } from './fields';

const warning = z.object({
  id: text,
  category: text,
  message: text,
  details: z.unknown().optional().transform(printValue),
  server_id: maybeText,
  created_at: textOrEmpty,
});

const mcpServer = z.object({
  id: text,
  healthy: flag,
  last_check: maybeText,
  tool_count: count,
  tools: list(z.object({ name: text, description: textOrEmpty })),
  error: maybeText,
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
});

const health = z.object({ status: text, version: textOrEmpty });

export type Warning = z.infer<typeof warning>;
export type McpServer = z.infer<typeof mcpServer>;
export type SystemInfo = z.infer<typeof systemInfo>;

export function getWarnings(signal?: AbortSignal) {
  return request(z.object({ warnings: list(warning) }), endpoints.warnings, { signal });
}

export function getMcpServers(signal?: AbortSignal) {
  return request(z.object({ servers: list(mcpServer) }), endpoints.mcpServers, { signal });
}

export function getSystemInfo(signal?: AbortSignal) {
  return request(systemInfo, endpoints.systemInfo, { signal });
}

/** A service that is not well says so with a 503 and the same body. */
export function getHealth(signal?: AbortSignal) {
  return request(health, endpoints.health, { signal, accept: [503] });
}
