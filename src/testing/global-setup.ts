import type { TestProject } from 'vitest/node'
import { findBrowser, HOW_TO_INSTALL, startBrowser } from './browser.ts'
import { SUPPORTS_MSW_3 } from './modern-node.ts'
import { installMsw3 } from './msw-3.ts'
import { findRedis, HOW_TO_INSTALL_REDIS } from './redis/find-redis.ts'

/**
 * Vitest's global setup: installs MSW 3 if this Node supports it, and starts the browser that all tests share. Without a
 * browser or Redis, the tests that need it are skipped, with a warning at the start and at the end. With `CI` set, the run fails
 * instead.
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
  for (const warning of warnings) console.warn(warning)

  return async () => {
    await started?.close()
    for (const warning of warnings) console.warn(warning)
  }
}

function missing(tests: string, program: string, howToInstall: string): string {
  if (process.env.CI) {
    throw new Error(`Cannot run the ${tests} tests: there is no ${program}. ${howToInstall}`)
  }
  return `\n*** ${tests.toUpperCase()} TESTS SKIPPED: there is no ${program}. ${howToInstall} ***\n`
}
