import type { TestProject } from 'vitest/node'
import { findBrowser, HOW_TO_INSTALL, startBrowser } from './browser.ts'
import { SUPPORTS_MSW_3 } from './modern-node.ts'
import { installMsw3 } from './msw-3.ts'

/**
 * Vitest's global setup: installs MSW 3 if this Node supports it, and starts the browser that all tests share. Without a
 * browser the browser tests are skipped, with a warning at the start and at the end. With `CI` set, the run fails instead.
 */
export async function setup(project: TestProject): Promise<() => void | Promise<void>> {
  // Installed here, so that no test times out. If it fails, the tests that need it report the error.
  if (SUPPORTS_MSW_3) await installMsw3().catch(() => undefined)
  const found = findBrowser()
  if (found) {
    const browser = await startBrowser(found)
    project.provide('browser', browser.wsEndpoint())
    return () => browser.close()
  }
  if (process.env.CI) {
    throw new Error(`Cannot run the browser tests: there is no browser. ${HOW_TO_INSTALL}`)
  }
  warn()
  return warn
}

function warn(): void {
  console.warn(`\n*** BROWSER TESTS SKIPPED: there is no browser. ${HOW_TO_INSTALL} ***\n`)
}
