import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'

/** Tests that install packages take a minute, and need a registry. `npm run test:install` runs them. */
export const INSTALL_TESTS = 'src/**/*.install.test.ts'

/** Tests of several servers on one store kill servers and wait for limits. `npm run test:store` runs them, and sets the variable. */
const STORE_TESTS = 'src/testing/store/**'
const runsStoreTests = process.env.PET_SANDBOX_STORE_TESTS !== undefined

const config: ViteUserConfig = {
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    environment: 'node',
    include: ['src/**/*.test.ts'],
    exclude: [INSTALL_TESTS, ...(runsStoreTests ? [] : [STORE_TESTS])],
    pool: 'threads',
    // By default, Vitest reserves one processor for itself. On a machine with two, it uses both.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Tests leave nothing behind, and loading the engine again for each file would take most of the time.
    isolate: false,
    // CommonJS modules are imported as Node.js and the build import them.
    deps: { interopDefault: false },
    globalSetup: 'src/testing/global-setup.ts',
    // A loaded machine takes many times as long as an idle one. A test that hangs still fails.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
}

export default config
