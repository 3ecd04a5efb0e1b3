import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The columns of numbers and of times: elsewhere digits of one width draw identifiers with wide hyphens. */
const columnsOfNumbers = [
  'features/audit/AuditTable.tsx',
  'features/received/ReceivedTable.tsx',
  'features/session/BudgetPanel.tsx',
  'features/sessions/ActiveSessions.tsx',
  'features/sessions/columns.ts',
  'ui/numbers/NumberTable.tsx',
];

describe('digits of one width', () => {
  it('are in columns of numbers alone', () => {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
    const sources = files.filter(
      (file) => /\.(?:css|tsx?)$/.test(file) && !file.includes('.test.'),
    );
    const found = sources.filter((file) => /tabular-nums|['"]tnum/.test(read(file)));
    expect(found.toSorted()).toEqual(columnsOfNumbers);
  });
});

/** The faces of `fonts.css`, each with its descriptors. */
function faces(): ReadonlyMap<string, string>[] {
  return Array.from(
    read('ui/theme/fonts.css').matchAll(/@font-face\s*\{([^}]*)\}/g),
    ([, body = '']) => {
      const lines = body.split(';').map((line) => line.trim().split(/:\s*([^]*)/));
      return new Map(lines.map(([name = '', value = '']) => [name, value]));
    },
  );
}

const nameOf = (face: ReadonlyMap<string, string>) => face.get('font-family')?.replaceAll("'", '');
const shareOf = (face: ReadonlyMap<string, string>, name: string) =>
  Number.parseFloat(face.get(name) ?? '') / 100;

describe('the monospace font', () => {
  it('is one file of Latin letters that never hides a text', () => {
    const shipped = faces().filter((face) => face.get('src')?.includes('url('));
    expect(shipped.map(nameOf)).toEqual(['JetBrains Mono Variable']);
    expect(shipped[0]?.get('font-display')).toBe('swap');
    expect(shipped[0]?.get('src')).toMatch(/latin-wght-normal\.woff2/);
    expect(shipped[0]?.get('unicode-range')).toMatch(/^U\+0000-00FF/);
  });

  it('is as wide and as high as what stands there before it', () => {
    const local = faces().filter((face) => face.get('src')?.startsWith('local('));
    expect(local.length).toBe(3);
    for (const face of local) {
      // The name has the width in thousandths of an em.
      const width = Number(nameOf(face)?.match(/\d+$/)?.[0]) / 1000;
      const scale = shareOf(face, 'size-adjust');
      expect(width * scale).toBeCloseTo(0.6, 3);
      expect(shareOf(face, 'ascent-override') * scale).toBeCloseTo(1.02, 3);
      expect(shareOf(face, 'descent-override') * scale).toBeCloseTo(0.3, 3);
      expect(shareOf(face, 'line-gap-override')).toBe(0);
    }
  });

  it('is drawn where its local stand-ins are named', () => {
    const [, families = ''] = read('ui/theme/tokens.css').match(/--tarsy-mono:\s*([^;]*)/) ?? [];
    const named = families.split(/,\s*/).map((family) => family.replaceAll("'", ''));
    expect(named).toEqual([...faces().map(nameOf), 'monospace']);
  });
});
