import type { TestProject } from 'vitest/node'
import { findBrowser, HOW_TO_INSTALL, startBrowser } from './browser.ts'
import { SUPPORTS_MSW_3 } from './modern-node.ts'
import { installMsw3 } from './msw-3.ts'
import { findRedis, HOW_TO_INSTALL_REDIS } from './redis/find-redis.ts'
import { openRunStore } from './redis/run-store.ts'

/**
 * Vitest's global setup: starts what all tests of a run share, by its kind: the browser, a store, and MSW 3 if this Node supports
 * it. `npm test` without a Redis, and `npm run test:install` without a browser, leave the tests out that need it, with a warning
 * at the start and at the end. With `CI` set, and where all tests of the run need it, the run fails instead.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { runKind } = project.config.provide
  const warnings: string[] = []
  const closeFunctions: (() => Promise<void>)[] = []

  // Installed here, so that no test times out. If it fails, the tests that need it report the error.
  if (SUPPORTS_MSW_3) await installMsw3().catch(() => undefined)
  if (runKind === 'browser' || runKind === 'install') {
    const path = findBrowser()
    if (path === undefined) warnings.push(missing('browser', HOW_TO_INSTALL, runKind === 'browser'))
    else {
      const browser = await startBrowser(path)
      project.provide('browser', browser.wsEndpoint())
      closeFunctions.push(() => browser.close())
    }
  }
  if (runKind === 'test' || runKind === 'long' || runKind === 'store') {
    if (!findRedis()) {
      warnings.push(missing('redis-server', HOW_TO_INSTALL_REDIS, runKind === 'store'))
    }
    const opened = await openRunStore()
    if (opened) {
      project.provide('store', opened.store)
      closeFunctions.push(opened.close)
    }
  }
  for (const warning of warnings) console.warn(warning)

  return async () => {
    for (const close of closeFunctions) await close()
    for (const warning of warnings) console.warn(warning)
  }
}

function missing(program: string, howToInstall: string, isRequired: boolean): string {
  if (process.env.CI || isRequired) {
    throw new Error(`Cannot run the tests: there is no ${program}. ${howToInstall}`)
  }
  return `\n*** TESTS SKIPPED: there is no ${program}. ${howToInstall} ***\n`
}
