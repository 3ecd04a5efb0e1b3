import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { chunks } from './scripts/chunks.ts';

const backend = process.env.TARSY_URL ?? 'http://localhost:8080';

// Tests of functions that need a document; those of the others start without one, each a second of a core sooner.
const needDocument = [
  'src/api/unlock.test.ts',
  'src/features/timeline/queries.test.ts',
  'src/features/timeline/repetition.test.ts',
  'src/lib/browser/dismissals.test.ts',
  'src/lib/lib.test.ts',
  'src/lib/text/markdown.test.ts',
  'src/lib/text/markdownBlocks.test.ts',
  'src/live/feeds.test.ts',
  'src/ui/layout/scroll.test.ts',
];

// Evaluates modules and writes a document of its own.
const loadsAnew = ['src/lib/browser/basePath.test.ts'];

export default defineConfig({
  base: '/',
  experimental: {
    // The page names its files from the root, where api-gateway adds the path below which it serves. Scripts and styles
    // find the others from where they are.
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `/${file}` : { relative: true }),
  },
  plugins: [react()],
  server: {
    port: 5173,
    // The documentation is beside this folder.
    fs: { allow: ['..'] },
    proxy: {
      '/api': { target: backend, ws: true },
      '/health': { target: backend },
    },
  },
  build: {
    outDir: 'dist',
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    sourcemap: false,
    // In kB without compression; `scripts/bundle-size.mjs` checks what counts.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: { codeSplitting: { groups: chunks } },
    },
  },
  test: {
    restoreMocks: true,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'pages',
          environment: 'jsdom',
          // To load React, MUI and a document for each file takes longer than its tests.
          isolate: false,
          setupFiles: ['src/test/setup.ts'],
          include: ['src/**/*.test.tsx', ...needDocument],
        },
      },
      {
        extends: true,
        test: {
          name: 'functions',
          environment: 'node',
          isolate: false,
          include: ['src/**/*.test.ts'],
          exclude: [...needDocument, ...loadsAnew],
        },
      },
      {
        extends: true,
        test: { name: 'alone', environment: 'jsdom', include: loadsAnew },
      },
    ],
  },
});
