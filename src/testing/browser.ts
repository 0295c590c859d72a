import { type Browser, type BrowserServer, chromium } from 'playwright-core'
import { inject } from 'vitest'
import { findExecutable } from './executable.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The WebSocket address of the browser that this run shares. */
    browser: string
  }
}

/**
 * The names of the executable on Debian, on Ubuntu and on GitHub's runners. The headless shell is Chromium without its windows: a page opens
 * in a quarter of the processor's time.
 */
const EXECUTABLES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** What to do when no browser is found. */
export const HOW_TO_INSTALL =
  'Install one with "apt-get install chromium-headless-shell", or set PET_SANDBOX_CHROMIUM=/path/to/chromium.'

/** The path of the browser: `PET_SANDBOX_CHROMIUM`, else the first Chromium in `PATH`; `undefined` when there is none. */
export function findBrowser(): string | undefined {
  return process.env.PET_SANDBOX_CHROMIUM || findExecutable(EXECUTABLES)
}

/** Starts a headless browser for all tests of a run. Vitest's global setup calls it. */
export function startBrowser(executablePath: string): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath, args: FLAGS })
}

/** Connects to the browser that the run shares. Closing the connection closes its pages. */
export function connectToBrowser(): Promise<Browser> {
  return chromium.connect(inject('browser'))
}
