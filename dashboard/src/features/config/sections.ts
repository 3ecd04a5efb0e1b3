import type { ConfigEntry, ResolvedConfig } from '../../api/config';

/** Sections whose entries have names: each entry is a group. */
const named = new Set(['agent_chains', 'agents', 'mcp_servers', 'llm_providers']);

export interface ConfigGroup {
  readonly name: string;
  readonly entries: readonly ConfigEntry[];
  /** The part of each path that the name already states. */
  readonly prefix: string;
}

/** The entries whose path, value, file or variables contain the text, in groups. */
export function readGroups(config: ResolvedConfig, search: string): readonly ConfigGroup[] {
  const query = search.trim().toLowerCase();
  const process = config.process.filter((entry) => matches(entry, query));
  const groups = new Map<string, ConfigEntry[]>();
  for (const entry of config.values) {
    if (!matches(entry, query)) continue;
    const name = groupOf(entry.path);
    const group = groups.get(name);
    if (group) group.push(entry);
    else groups.set(name, [entry]);
  }
  const files = [...groups].map(([name, entries]) => ({ name, entries, prefix: `${name}.` }));
  const environment = { name: 'Process settings', entries: process, prefix: '' };
  return process.length === 0 ? files : [environment, ...files];
}

function groupOf(path: string): string {
  const [section = '', name] = path.split('.', 2);
  return named.has(section) && name !== undefined ? `${section}.${name}` : section;
}

function matches(entry: ConfigEntry, query: string): boolean {
  const { path, value, variables } = entry;
  const texts = [path, value ?? '', sourceOf(entry), ...variables.map(({ name }) => name)];
  return query === '' || texts.some((text) => text.toLowerCase().includes(query));
}

/** Where a value is from: `conf/tarsy.yaml:12`. */
export function sourceOf({ source, file, line }: ConfigEntry): string {
  if (file !== null) return line === null ? file : `${file}:${line}`;
  return source === 'environment' ? 'environment variable' : 'default';
}
