import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const backend = process.env.TARSY_URL ?? 'http://localhost:8080';

/** Modules that as many chunks share are one chunk: every page has them, and one request compresses better than twenty. */
const MIN_SHARE_COUNT = 21;

export default defineConfig({
  base: '/',
  plugins: [react()],
  server: {
    port: 5173,
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
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: MIN_SHARE_COUNT }] } },
    },
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/test/setup.ts'],
    restoreMocks: true,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
