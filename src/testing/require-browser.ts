import { findBrowser, HOW_TO_INSTALL } from './browser.ts'

/**
 * Before all tests: without a browser, those that need one are skipped, which must not go unnoticed. It is said loudly,
 * at the start and again at the end, and where `CI` is set the run fails.
 */
export function setup(): (() => void) | undefined {
  if (findBrowser()) return undefined
  if (process.env.CI)
    throw new Error(`The browser tests cannot run: there is no browser. ${HOW_TO_INSTALL}`)
  tell()
  return tell
}

function tell(): void {
  console.warn(`\n*** BROWSER TESTS SKIPPED: there is no browser. ${HOW_TO_INSTALL} ***\n`)
}
