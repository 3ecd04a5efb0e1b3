import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** The layers that each layer may import besides itself. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
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

/** The imports of production files, as paths below `src`. */
function readImports(): readonly Import[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !/\.test\.|^test\//.test(file));
  return sources.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const specifiers = text.matchAll(/(?:from|import|import\()\s*'(\.[^']+)'/g);
    return Array.from(specifiers, ([, specifier = '']) => ({
      from: file,
      to: relative(root, join(root, dirname(file), specifier)),
    }));
  });
}

/** The module of a file: its layer, or its feature. */
function moduleOf(path: string): string {
  const [layer = '', feature = ''] = path.split('/');
  return layer === 'features' ? `${layer}/${feature}` : layer;
}

function isAllowed({ from, to }: Import): boolean {
  if (moduleOf(from) === moduleOf(to)) return true;
  const [layer = ''] = from.split('/');
  const [target = ''] = to.split('/');
  return (allowedImports[layer] ?? []).includes(target);
}

it('layers import only lower layers, and features do not import each other', () => {
  const imports = readImports();
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.filter((each) => !isAllowed(each))).toEqual([]);
});
