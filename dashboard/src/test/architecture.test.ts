import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** What each folder may import besides itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  ui: ['lib'],
  api: ['lib'],
  live: ['lib', 'api'],
  features: ['lib', 'ui', 'api', 'live'],
  app: ['lib', 'ui', 'api', 'live', 'features'],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

function imports(): readonly Import[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !/\.test\.|^test\//.test(file));
  return sources.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const found = text.matchAll(/(?:from|import|import\()\s*'(\.[^']+)'/g);
    return Array.from(found, ([, path = '']) => ({
      from: file,
      to: relative(root, join(root, dirname(file), path)),
    }));
  });
}

/** The room of a file; every feature is a room of its own. */
function room(file: string): string {
  const [folder = '', feature = ''] = file.split('/');
  return folder === 'features' ? `${folder}/${feature}` : folder;
}

function forbidden({ from, to }: Import): boolean {
  if (room(from) === room(to)) return false;
  const [folder = ''] = from.split('/');
  const [target = ''] = to.split('/');
  return !(allowed[folder] ?? []).includes(target);
}

it('imports follow the arrows: ui, lib, api, then live, then features, then app', () => {
  const all = imports();
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter(forbidden)).toEqual([]);
});
