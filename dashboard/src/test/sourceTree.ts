/** Reads the production sources for the architecture tests: imports, and sizes of files and functions. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'vite';

const root = join(import.meta.dirname, '..');

export interface SourceFile {
  /** Path below `src`. */
  readonly path: string;
  readonly lines: number;
  /** Paths of the imported source files. */
  readonly imports: readonly string[];
  readonly functions: readonly SourceFunction[];
}

export interface SourceFunction {
  /** `path:line`. */
  readonly position: string;
  readonly lines: number;
}

export function readSources(): readonly SourceFile[] {
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const paths = all.filter((path) => /\.tsx?$/.test(path) && !/\.test\.|^test\//.test(path));
  const known = new Set(paths);
  return paths.map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return {
      path,
      lines: countLines(text) - 1,
      imports: readImports(path, text, known),
      functions: readFunctions(path, text),
    };
  });
}

function readImports(path: string, text: string, known: ReadonlySet<string>): readonly string[] {
  const specifiers = text.matchAll(/(?:from|import|import\()\s*'(\.[^']+)'/g);
  return Array.from(specifiers, ([, specifier = '']) => {
    const target = relative(root, join(root, dirname(path), specifier));
    return [`${target}.ts`, `${target}.tsx`].find((file) => known.has(file)) ?? target;
  });
}

const functionTypes: ReadonlySet<unknown> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/** Functions with more than one line; one-line callbacks would hide long functions in a percentile. */
function readFunctions(path: string, text: string): readonly SourceFunction[] {
  const functions: SourceFunction[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const child of Object.values(node)) visit(child);
    if (!('type' in node && functionTypes.has(node.type))) return;
    const { start, end } = node as unknown as { start: number; end: number };
    const lines = countLines(text.slice(start, end));
    const line = countLines(text.slice(0, start));
    if (lines > 1) functions.push({ position: `${path}:${line}`, lines });
  };
  visit(parseSync(path, text).program);
  return functions;
}

function countLines(text: string): number {
  return text.split('\n').length;
}
