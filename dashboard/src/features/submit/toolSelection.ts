/** The tool selection of one alert: whole servers, single tools and native model tools. */
import type { ToolSelection as SubmittedSelection } from '../../api/alerts';
import type { SessionDetail } from '../../api/sessions';

export const nativeTools = [
  { id: 'google_search', label: 'Web search' },
  { id: 'code_execution', label: 'Code execution' },
  { id: 'url_context', label: 'URL context' },
] as const;

export interface ToolSelection {
  /** Tools by server id; `all` includes tools that the server adds later. */
  readonly servers: Readonly<Record<string, 'all' | readonly string[]>>;
  /** No tool servers at all, so that the native tools are used. */
  readonly withoutServers: boolean;
  /** Overrides by native tool; a missing tool keeps the provider's setting. */
  readonly native: Readonly<Record<string, boolean>>;
}

/** The empty selection: the chain's tools are used. */
export const chainDefault: ToolSelection = { servers: {}, withoutServers: false, native: {} };

export function isChainDefault(selection: ToolSelection): boolean {
  return (
    !selection.withoutServers &&
    Object.keys(selection.servers).length === 0 &&
    Object.keys(selection.native).length === 0
  );
}

export type SelectionState = 'all' | 'some' | 'none';

export function serverState(selection: ToolSelection, server: string): SelectionState {
  const tools = selection.servers[server];
  if (tools === undefined) return 'none';
  return tools === 'all' ? 'all' : 'some';
}

export function isToolSelected(selection: ToolSelection, server: string, tool: string): boolean {
  const tools = selection.servers[server];
  return tools === 'all' || (tools?.includes(tool) ?? false);
}

export function selectServer(selection: ToolSelection, server: string, on: boolean): ToolSelection {
  const { [server]: _, ...rest } = selection.servers;
  return {
    ...selection,
    servers: on ? { ...rest, [server]: 'all' } : rest,
    withoutServers: selection.withoutServers && !on,
  };
}

/** Toggles a tool. Selecting every tool selects the whole server, selecting none removes it. */
export function toggleTool(
  selection: ToolSelection,
  server: string,
  tool: string,
  all: readonly string[],
): ToolSelection {
  const selected = all.filter(
    (name) => isToolSelected(selection, server, name) !== (name === tool),
  );
  if (selected.length === 0 || selected.length === all.length) {
    return selectServer(selection, server, selected.length > 0);
  }
  return {
    ...selection,
    servers: { ...selection.servers, [server]: selected },
    withoutServers: false,
  };
}

/** Sets an override; null removes it. */
export function setNativeTool(
  selection: ToolSelection,
  tool: string,
  on: boolean | null,
): ToolSelection {
  const { [tool]: _, ...rest } = selection.native;
  return { ...selection, native: on === null ? rest : { ...rest, [tool]: on } };
}

/** Takes all servers away, or gives the chain's back. */
export function setWithoutServers(selection: ToolSelection, on: boolean): ToolSelection {
  return { ...selection, servers: on ? {} : selection.servers, withoutServers: on };
}

/** The selection as the API takes it; undefined for the chain default. */
export function toSubmitted(selection: ToolSelection): SubmittedSelection | undefined {
  if (isChainDefault(selection)) return undefined;
  const servers = Object.entries(selection.servers).map(([name, tools]) =>
    tools === 'all' ? { name } : { name, tools },
  );
  return {
    ...(servers.length === 0 ? {} : { servers }),
    ...(selection.withoutServers ? { without_servers: true } : {}),
    ...(Object.keys(selection.native).length === 0 ? {} : { native_tools: selection.native }),
  };
}

/** The selection of an earlier session. Native tools without a boolean keep their default. */
export function fromSubmitted(submitted: SessionDetail['mcp_selection']): ToolSelection {
  if (submitted === null) return chainDefault;
  const native = Object.entries(submitted.native_tools).filter(
    (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
  );
  return {
    servers: Object.fromEntries(submitted.servers.map(({ name, tools }) => [name, tools ?? 'all'])),
    withoutServers: submitted.without_servers,
    native: Object.fromEntries(native),
  };
}

/** A summary: server names with the number of selected tools, and native tools that are on or off. */
export function describeSelection(selection: ToolSelection): string {
  const servers = Object.entries(selection.servers).map(([name, tools]) =>
    tools === 'all' ? name : `${name} (${tools.length})`,
  );
  const native = nativeTools
    .filter(({ id }) => selection.native[id] !== undefined)
    .map(({ id, label }) => `${label.toLowerCase()} ${selection.native[id] ? 'on' : 'off'}`);
  const none = selection.withoutServers ? ['no tool server'] : [];
  return [...servers, ...none, ...native].join(', ');
}
