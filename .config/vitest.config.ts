import { fileURLToPath } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'
import { FAT, lean } from './lean-data-library.mjs'

const config: ViteUserConfig = {
  root: fileURLToPath(new URL('..', import.meta.url)),
  // As in the build: what ships is what is tested.
  resolve: {
    alias: [
      {
        find: /^(mutative|es-toolkit|es-toolkit\/compat|rettime|outvariant)$/,
        replacement: fileURLToPath(new URL('data-library.mjs', import.meta.url)),
      },
    ],
  },
  plugins: [
    {
      name: 'lean-data-library',
      transform: (source, id) => (FAT.test(id) ? lean(source, id) : undefined),
    },
  ],
  test: {
    server: { deps: { inline: ['@mswjs/data'] } },
    environment: 'node',
    include: ['src/**/*.test.ts'],
    pool: 'threads',
    // No test leaves anything behind, and loading the engine anew for each file would take most of the time.
    isolate: false,
    // CommonJS modules are imported as Node and the build import them.
    deps: { interopDefault: false },
    globalSetup: 'src/testing/require-browser.ts',
    testTimeout: 10_000,
    hookTimeout: 20_000,
    typecheck: {
      enabled: true,
      include: ['src/**/*.test-d.ts'],
      // `npm run types` checks the sources; here only what a type test claims counts.
      ignoreSourceErrors: true,
    },
  },
}

export default config
