// Builds the dashboard and fails when the JavaScript that a page loads before it is shown is larger than the budget.
//
// What a page loads: the entry, the chunk of the page, and what both import statically. Parts that are imported
// later, such as Markdown and dialogs, do not count. Sizes are those of gzip, as the server sends them.
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const BUDGET_BYTES = 200_000;

const { output } = await build({ logLevel: 'warn', build: { write: false, manifest: true } });
const files = new Map(output.map((file) => [file.fileName, file]));
const manifest = JSON.parse(files.get('.vite/manifest.json').source);

/** The keys of a chunk and of everything that it imports statically. */
function closure(key, found = new Set()) {
  if (found.has(key)) return found;
  found.add(key);
  for (const imported of manifest[key].imports ?? []) closure(imported, found);
  return found;
}

const sizes = new Map();
function sizeOf(key) {
  const { file } = manifest[key];
  if (!sizes.has(file)) sizes.set(file, gzipSync(files.get(file).code).length);
  return sizes.get(file);
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const pages = Object.keys(manifest).filter((key) => /^src\/app\/pages\/\w+Page\.tsx$/.test(key));
let tooLarge = 0;
for (const page of pages) {
  const bytes = [...closure(page, closure(entry))].reduce((sum, key) => sum + sizeOf(key), 0);
  if (bytes > BUDGET_BYTES) tooLarge += 1;
  const verdict = bytes > BUDGET_BYTES ? 'TOO LARGE' : 'ok';
  console.log(`${page}: ${(bytes / 1000).toFixed(1)} of ${BUDGET_BYTES / 1000} kB, ${verdict}`);
}
if (pages.length === 0) throw new Error('the build has no pages');
console.log(`bundle size: ${pages.length} pages, ${tooLarge} too large`);
process.exitCode = tooLarge === 0 ? 0 : 1;
if (process.argv.includes('--chunks')) {
  const line = (key) => `  ${key} ${(sizeOf(key) / 1000).toFixed(1)}`;
  const shared = closure(entry);
  console.log(['every page', ...[...shared].map(line)].join('\n'));
  for (const page of pages) {
    const own = [...closure(page)].filter((key) => !shared.has(key));
    console.log([page, ...own.map(line)].join('\n'));
  }
}
