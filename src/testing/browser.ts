import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser of this run listens. */
    browser: string
  }
}

/** What Chromium calls itself: on Debian, on Ubuntu, on GitHub's machines. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** What to do where there is no browser. */
export const HOW_TO_INSTALL =
  'Install one with "apt-get install chromium", or name one: PET_SANDBOX_CHROMIUM=/path/to/chromium.'

/** The browser's file: `PET_SANDBOX_CHROMIUM`, else the first Chromium in `PATH`; `undefined` when there is none. */
export function findBrowser(): string | undefined {
  const { PET_SANDBOX_CHROMIUM: named, PATH = '' } = process.env
  if (named) return named
  const folders = PATH.split(delimiter)

  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

/** Starts a browser without a window, for all tests of a run. Done by the set-up of the run. */
export function startBrowser(executablePath: string): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath, args: FLAGS })
}

/** A browser without a window and without a past; close it, and its pages are gone. It is the run's own, and so costs little. */
export function launchBrowser(): Promise<Browser> {
  return chromium.connect(inject('browser'))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
