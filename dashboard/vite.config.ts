import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { chunks } from './scripts/chunks.ts';

const backend = process.env.TARSY_URL ?? 'http://localhost:8080';

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
    environment: 'jsdom',
    setupFiles: ['src/test/setup.ts'],
    restoreMocks: true,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
