import type { ViteUserConfig } from 'vitest/config'
import config, { INSTALL_TESTS } from './vitest.config.ts'

/** `npm run test:install`: the tests that install packages from the registry, which `npm test` leaves out. */
const installConfig: ViteUserConfig = {
  ...config,
  test: {
    ...config.test,
    include: [INSTALL_TESTS],
    exclude: [],
    // A registry may be slow, and so is compiling the types of every package.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
}

export default installConfig
