// Measures the lines of TypeScript functions: prints one JSON object, and the longest functions with `--list`.
//
// A function counts when it has a name: a declaration, a method, or a function that a variable or a property holds.
// Callbacks count as part of the function around them. Tests do not count.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'vite';

const root = join(import.meta.dirname, '..');

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'test' ? [] : sources(path);
    return /\.tsx?$/.test(entry.name) && !/\.(test|d)\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

const isFunction = (node) =>
  ['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'].includes(node?.type);

function nameOf(node) {
  if (node.type === 'FunctionDeclaration') return node.id?.name ?? 'default';
  if (node.type === 'VariableDeclarator' && isFunction(node.init)) return node.id.name;
  if (
    ['MethodDefinition', 'Property', 'PropertyDefinition'].includes(node.type) &&
    isFunction(node.value)
  )
    return node.key.name;
  return undefined;
}

function functionsOf(path) {
  const text = readFileSync(path, 'utf8');
  const lineOf = (offset) => text.slice(0, offset).split('\n').length;
  const found = [];
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!node || typeof node.type !== 'string') return;
    const name = nameOf(node);
    if (name)
      found.push({
        path: relative(root, path),
        name,
        line: lineOf(node.start),
        lines: lineOf(node.end) - lineOf(node.start) + 1,
      });
    Object.values(node).forEach((child) => typeof child === 'object' && visit(child));
  };
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path));
  return found;
}

const all = sources(join(root, 'src'))
  .flatMap(functionsOf)
  .sort((a, b) => a.lines - b.lines);
const percentile = (part) =>
  all[Math.min(all.length - 1, Math.ceil(all.length * part) - 1)]?.lines ?? 0;
console.log(
  JSON.stringify({
    functions: all.length,
    median: percentile(0.5),
    p95: percentile(0.95),
    longest: percentile(1),
  }),
);
if (process.argv.includes('--list')) {
  for (const { path, name, line, lines } of all.filter(({ lines }) => lines > 40).reverse())
    console.log(`${path}:${line} ${name}: ${lines}`);
}
