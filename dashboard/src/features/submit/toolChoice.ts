/** Which tools one alert wishes: whole servers, single tools, and the model's own tools. */
import type { ToolWish } from '../../api/alerts';
import type { SessionDetail } from '../../api/sessions';

export const nativeTools = [
  { id: 'google_search', label: 'Web search' },
  { id: 'code_execution', label: 'Run code' },
  { id: 'url_context', label: 'Read pages' },
] as const;

export interface ToolChoice {
  /** Per chosen server its tools; `all` is also what it gets later. */
  readonly servers: Readonly<Record<string, 'all' | readonly string[]>>;
  /** On or off; what is absent stays as the provider has it. */
  readonly native: Readonly<Record<string, boolean>>;
}

export const asConfigured: ToolChoice = { servers: {}, native: {} };

export function isConfigured(choice: ToolChoice): boolean {
  return Object.keys(choice.servers).length === 0 && Object.keys(choice.native).length === 0;
}

export type Ticked = 'all' | 'some' | 'none';

export function serverTicked(choice: ToolChoice, server: string): Ticked {
  const tools = choice.servers[server];
  if (tools === undefined) return 'none';
  return tools === 'all' ? 'all' : 'some';
}

export function toolTicked(choice: ToolChoice, server: string, tool: string): boolean {
  const tools = choice.servers[server];
  return tools === 'all' || (tools?.includes(tool) ?? false);
}

export function tickServer(choice: ToolChoice, server: string, on: boolean): ToolChoice {
  const { [server]: _, ...rest } = choice.servers;
  return { ...choice, servers: on ? { ...rest, [server]: 'all' } : rest };
}

/** A server without a tool is no choice of it; one with every tool is the whole server. */
export function tickTool(
  choice: ToolChoice,
  server: string,
  tool: string,
  all: readonly string[],
): ToolChoice {
  const ticked = all.filter((name) => toolTicked(choice, server, name) !== (name === tool));
  if (ticked.length === 0 || ticked.length === all.length) {
    return tickServer(choice, server, ticked.length > 0);
  }
  return { ...choice, servers: { ...choice.servers, [server]: ticked } };
}

export function setNative(choice: ToolChoice, tool: string, on: boolean | null): ToolChoice {
  const { [tool]: _, ...rest } = choice.native;
  return { ...choice, native: on === null ? rest : { ...rest, [tool]: on } };
}

/** What is sent; nothing where everything stays as configured. */
export function toWish(choice: ToolChoice): ToolWish | undefined {
  if (isConfigured(choice)) return undefined;
  const servers = Object.entries(choice.servers).map(([name, tools]) =>
    tools === 'all' ? { name } : { name, tools },
  );
  return {
    ...(servers.length === 0 ? {} : { servers }),
    ...(Object.keys(choice.native).length === 0 ? {} : { native_tools: choice.native }),
  };
}

/** The choice that a wish was made of; what is neither on nor off is not chosen. */
export function fromWish(wish: SessionDetail['mcp_selection']): ToolChoice {
  if (wish === null) return asConfigured;
  const native = Object.entries(wish.native_tools).filter(
    (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
  );
  return {
    servers: Object.fromEntries(wish.servers.map(({ name, tools }) => [name, tools ?? 'all'])),
    native: Object.fromEntries(native),
  };
}

/** The choice in a few words. */
export function describeChoice(choice: ToolChoice): string {
  const servers = Object.entries(choice.servers).map(([name, tools]) =>
    tools === 'all' ? name : `${name} (${tools.length})`,
  );
  const native = nativeTools
    .filter(({ id }) => choice.native[id] !== undefined)
    .map(({ id, label }) => `${label.toLowerCase()} ${choice.native[id] ? 'on' : 'off'}`);
  return [...servers, ...native].join(', ');
}
