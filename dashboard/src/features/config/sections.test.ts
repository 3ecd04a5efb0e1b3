import { describe, expect, it } from 'vitest';
import type { ConfigEntry } from '../../api/config';
import { readGroups, sourceOf } from './sections';

function entry(path: string, changes: Partial<ConfigEntry> = {}): ConfigEntry {
  const none = { value: null, hidden: false, source: 'default', file: null, line: null };
  return { path, ...none, variables: [], ...changes };
}

const config = {
  config_hash: 'abc',
  process: [entry('TARSY_HTTP_ADDR', { value: '127.0.0.1:8080', source: 'environment' })],
  values: [
    entry('queue.worker_count', { value: '3', source: 'file', file: 'conf/tarsy.yaml', line: 2 }),
    entry('agents.One.instructions', { value: 'Look at pods.' }),
    entry('agents.Two.mcp_servers', { value: '[host]' }),
    entry('mcp_servers.host.transport.env.KEY', {
      hidden: true,
      variables: [{ name: 'HOST_TOKEN', is_set: false }],
    }),
  ],
};

const found = (search: string) =>
  readGroups(config, search).flatMap(({ entries }) => entries.map(({ path }) => path));

describe('the sections of the configuration', () => {
  it('are the process, the sections, and their named entries', () => {
    const groups = readGroups(config, ' ').map(({ name, prefix }) => [name, prefix]);
    expect(groups).toEqual([
      ['Process settings', ''],
      ['queue', 'queue.'],
      ['agents.One', 'agents.One.'],
      ['agents.Two', 'agents.Two.'],
      ['mcp_servers.host', 'mcp_servers.host.'],
    ]);
  });

  it.each([
    ['WORKER', ['queue.worker_count']],
    ['conf/tarsy.yaml:2', ['queue.worker_count']],
    ['pods', ['agents.One.instructions']],
    ['host_token', ['mcp_servers.host.transport.env.KEY']],
    ['8080', ['TARSY_HTTP_ADDR']],
    ['nothing', []],
  ])('are searched by path, value, source and variable: %s', (search, paths) => {
    expect(found(search)).toEqual(paths);
  });

  it('name the source of a value', () => {
    const [workers, instructions] = config.values;
    if (!workers || !instructions) throw new Error('there are entries');
    expect(sourceOf(workers)).toBe('conf/tarsy.yaml:2');
    expect(sourceOf(instructions)).toBe('default');
    expect(config.process.map(sourceOf)).toEqual(['environment variable']);
  });
});
