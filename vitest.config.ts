import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'packages/**/src/**/*.test.ts',
      'apps/**/src/**/*.test.ts',
      'apps/**/web/**/*.test.ts',
      'proofs/**/src/**/*.test.ts',
      'conformance/src/**/*.test.ts',
      'test/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.tsbuild/**'],
    globalSetup: ['packages/storage/testing/shared-postgres.ts'],
    pool: 'forks',
    // A browser and the servers it talks to already fill a small machine.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { requireAssertions: true },
  },
});
