import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

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

/** Starts the browser without a window. Throws an error that tells how to install one when there is none. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser()
  if (!executablePath) throw new Error(`There is no browser. ${HOW_TO_INSTALL}`)

  return await chromium.launch({ executablePath, args: FLAGS })
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
