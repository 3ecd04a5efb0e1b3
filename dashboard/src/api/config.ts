/** The resolved configuration: every value and where it is from. */
import { z } from './zod';
import { endpoints } from '../lib/browser/paths';
import { request } from './client';
import { flag, list, nullableNumber, nullableText, text, textOrEmpty } from './fields';

const entry = z.object({
  path: text,
  /** Null when it is hidden, or nothing. */
  value: nullableText,
  hidden: flag,
  /** `file`, `built_in`, `environment` or `default`. */
  source: textOrEmpty,
  file: nullableText,
  line: nullableNumber,
  variables: list(z.object({ name: text, is_set: flag })),
});

const config = z.object({
  config_hash: textOrEmpty,
  process: list(entry),
  values: list(entry),
});

export type ConfigEntry = z.infer<typeof entry>;
export type ResolvedConfig = z.infer<typeof config>;

export function getSystemConfig(signal?: AbortSignal) {
  return request(config, endpoints.systemConfig, { signal });
}

const reloading = z.object({
  /** The fingerprint that a service has once it runs with the files. */
  config_hash: text,
  warnings: list(text),
});

export type Reloading = z.infer<typeof reloading>;

/** Asks the services to start again with the files as they are now. */
export function reloadConfiguration() {
  return request(reloading, endpoints.reloadConfiguration, { method: 'POST' });
}
