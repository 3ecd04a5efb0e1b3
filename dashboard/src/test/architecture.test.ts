import { expect, it } from 'vitest';
import { readSources, type SourceFile } from './sourceTree';

const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 60;
const MAX_P95_FUNCTION_LINES = 40;

const sources = readSources();

/** The layers that each layer may import besides itself. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  ui: ['lib'],
  api: ['lib'],
  live: ['lib', 'api'],
  features: ['lib', 'ui', 'api', 'live'],
  app: ['lib', 'ui', 'api', 'live', 'features'],
};

/** The module of a file: its layer, or its feature. */
function moduleOf(path: string): string {
  const [layer = '', feature = ''] = path.split('/');
  return layer === 'features' ? `${layer}/${feature}` : layer;
}

function isAllowed(from: string, to: string): boolean {
  if (moduleOf(from) === moduleOf(to)) return true;
  const [layer = ''] = from.split('/');
  const [target = ''] = to.split('/');
  return (allowedImports[layer] ?? []).includes(target);
}

/** The first import cycle that contains the file; null when there is none. */
function findCycle(
  path: string,
  byPath: ReadonlyMap<string, SourceFile>,
  finished: Set<string>,
  stack: readonly string[] = [],
): readonly string[] | null {
  if (stack.includes(path)) return [...stack.slice(stack.indexOf(path)), path];
  if (finished.has(path)) return null;
  for (const target of byPath.get(path)?.imports ?? []) {
    const cycle = findCycle(target, byPath, finished, [...stack, path]);
    if (cycle) return cycle;
  }
  finished.add(path);
  return null;
}

it('layers import only lower layers, and features do not import each other', () => {
  const imports = sources.flatMap(({ path, imports: targets }) =>
    targets.map((target) => ({ from: path, to: target })),
  );
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.filter(({ from, to }) => !isAllowed(from, to))).toEqual([]);
});

it('there are no import cycles', () => {
  const byPath = new Map(sources.map((file) => [file.path, file]));
  const finished = new Set<string>();
  const cycles = sources.map(({ path }) => findCycle(path, byPath, finished));
  expect(cycles.filter((cycle) => cycle !== null)).toEqual([]);
});

it('files and functions are short', () => {
  const longFiles = sources.filter(({ lines }) => lines > MAX_FILE_LINES);
  expect(longFiles.map(({ path }) => path)).toEqual([]);
  const functions = sources.flatMap((file) => file.functions);
  expect(functions.filter(({ lines }) => lines > MAX_FUNCTION_LINES)).toEqual([]);
  const sorted = functions.map(({ lines }) => lines).toSorted((a, b) => a - b);
  expect(sorted.length).toBeGreaterThan(100);
  expect(sorted[Math.floor(sorted.length * 0.95)]).toBeLessThanOrEqual(MAX_P95_FUNCTION_LINES);
});
