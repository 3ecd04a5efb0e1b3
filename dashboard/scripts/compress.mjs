// Compresses the files of the build, so that no server does it for each request. The API gateway sends the compressed file
// to whoever accepts its encoding.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const FOLDER = 'dist';
const TEXT = /\.(css|html|js|json|svg)$/;
/** A smaller file fits into one packet either way. */
const WORTH_BYTES = 1024;

const sums = { plain: 0, gzip: 0, brotli: 0 };
for (const entry of readdirSync(FOLDER, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !TEXT.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const plain = readFileSync(path);
  if (plain.length < WORTH_BYTES) continue;
  const compressed = { gzip: gzipSync(plain, { level: 9 }), brotli: brotliCompressSync(plain) };
  writeFileSync(`${path}.gz`, compressed.gzip);
  writeFileSync(`${path}.br`, compressed.brotli);
  sums.plain += plain.length;
  sums.gzip += compressed.gzip.length;
  sums.brotli += compressed.brotli.length;
}
const kilobytes = (bytes) => `${Math.round(bytes / 1000)} kB`;
console.log(
  `compressed ${kilobytes(sums.plain)} to ${kilobytes(sums.gzip)} (gzip) and ${kilobytes(sums.brotli)} (brotli)`,
);
