import type { TestProject } from 'vitest/node'
import { findBrowser, HOW_TO_INSTALL, startBrowser } from './browser.ts'
import { SUPPORTS_MSW_3 } from './modern-node.ts'
import { installMsw3 } from './msw-3.ts'

/**
 * Before all tests: installs MSW 3 where this Node runs it, and starts the browser that they share. Without a browser, the tests that
 * need one are skipped, which must not go unnoticed: a warning says so at the start and at the end, and where `CI` is set the run
 * fails.
 */
export async function setup(project: TestProject): Promise<() => void | Promise<void>> {
  // Once, before the clock of any test runs. Where it fails, the tests that need it say why.
  if (SUPPORTS_MSW_3) await installMsw3().catch(() => undefined)
  const found = findBrowser()
  if (found) {
    const browser = await startBrowser(found)
    project.provide('browser', browser.wsEndpoint())
    return () => browser.close()
  }
  if (process.env.CI) {
    throw new Error(`The browser tests cannot run: there is no browser. ${HOW_TO_INSTALL}`)
  }
  tell()
  return tell
}

function tell(): void {
  console.warn(`\n*** BROWSER TESTS SKIPPED: there is no browser. ${HOW_TO_INSTALL} ***\n`)
}
