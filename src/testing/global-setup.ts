import type { TestProject } from 'vitest/node'
import { findBrowser, HOW_TO_INSTALL, startBrowser } from './browser.ts'
import { SUPPORTS_MSW_3 } from './modern-node.ts'
import { installMsw3 } from './msw-3.ts'
import { findRedis, HOW_TO_INSTALL_REDIS } from './redis/find-redis.ts'
import { HOW_TO_GIVE_A_STORE, openRunStore } from './redis/run-store.ts'

const WITHOUT_STORE =
  '\n*** Left out: the same examples through two servers on one store. ' +
  `${HOW_TO_GIVE_A_STORE} ***\n`

/**
 * Vitest's global setup: installs MSW 3 if this Node supports it, starts the browser that all tests share, and opens their store
 * if the environment names one. Without a browser or Redis, the tests that need it are skipped, with a warning at the start and
 * at the end. With `CI` set, the run fails instead.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Installed here, so that no test times out. If it fails, the tests that need it report the error.
  if (SUPPORTS_MSW_3) await installMsw3().catch(() => undefined)
  const browser = findBrowser()
  const warnings = [
    ...(browser ? [] : [missing('browser', 'browser', HOW_TO_INSTALL)]),
    ...(findRedis() ? [] : [missing('shared store', 'redis-server', HOW_TO_INSTALL_REDIS)]),
  ]
  const started = browser ? await startBrowser(browser) : undefined
  if (started) project.provide('browser', started.wsEndpoint())
  const opened = await openRunStore()
  if (opened) project.provide('store', opened.store)
  for (const warning of warnings) console.warn(warning)

  return async () => {
    await started?.close()
    await opened?.close()
    for (const warning of warnings) console.warn(warning)
    if (!opened) console.warn(WITHOUT_STORE)
  }
}

function missing(tests: string, program: string, howToInstall: string): string {
  if (process.env.CI) {
    throw new Error(`Cannot run the ${tests} tests: there is no ${program}. ${howToInstall}`)
  }
  return `\n*** ${tests.toUpperCase()} TESTS SKIPPED: there is no ${program}. ${howToInstall} ***\n`
}
