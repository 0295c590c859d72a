import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type Axe from 'axe-core'
import type { Page } from 'playwright-core'
import { createClient } from '../../client.ts'
import { connectToBrowser } from '../browser.ts'
import { type StartedCommand, startCommand } from '../command.ts'
import { collectErrors } from '../page-server.ts'

/** A sandbox that is served by the command, and its dashboard in a browser. */
export interface OpenedDashboard {
  readonly page: Page
  /** Such as `http://127.0.0.1:4010`. */
  readonly origin: string
  readonly command: Pick<StartedCommand, 'base' | 'stop'>
  /** A second client of the sandbox. */
  readonly client: ReturnType<typeof createClient>
  /** Uncaught errors, logged errors and violations of the security policy. Failed requests are not in it. */
  readonly pageErrors: readonly string[]
  /** Sends a request to a path of the API, from another process than the page. Resolves with its status. */
  readonly send: (path: string, init?: RequestInit & { readonly key?: string }) => Promise<number>
  /** Shows a view, such as `/keys`. What it loads may follow. */
  readonly show: (hash: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** The size of the window. */
interface Viewport {
  readonly width: number
  readonly height: number
}

/** Starts a sandbox, and opens a view of its dashboard. */
export async function openDashboard(
  hash: string,
  args: readonly string[] = [],
  viewport: Viewport = { width: 1280, height: 900 },
): Promise<OpenedDashboard> {
  return openDashboardOf(await startCommand([...args, '--log', 'json']), hash, viewport)
}

/** Opens a view of the dashboard of a sandbox. */
export async function openDashboardOf(
  command: Pick<StartedCommand, 'base' | 'stop'>,
  hash: string,
  viewport: Viewport = { width: 1280, height: 900 },
): Promise<OpenedDashboard> {
  const { origin } = new URL(command.base)
  const browser = await connectToBrowser()
  const context = await browser.newContext({ viewport })
  const page = await context.newPage()
  const pageErrors = collectErrors(page)
  await page.goto(`${origin}/__sandbox#${hash}`)

  return {
    page,
    origin,
    command,
    client: createClient(origin),
    pageErrors,
    send: async (path, { key, ...init } = {}) => {
      const headers = new Headers(init.headers)
      if (key !== undefined) headers.set('Authorization', `Bearer ${key}`)
      const response = await fetch(command.base + path, { ...init, headers })
      await response.arrayBuffer()
      return response.status
    },
    show: async (next) => {
      await page.goto(`${origin}/__sandbox#${next}`)
      // The page learns of another fragment in a later task.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
    },
    close: async () => {
      await browser.close()
      await command.stop()
    },
  }
}

/** What axe-core finds in what is shown, such as a view or an open dialog, without minor problems: the rule and the elements. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.locator('main > *').first().waitFor()
  await page.locator('.pending').first().waitFor({ state: 'detached' })
  // The policy of the page would refuse the script as an element. To run it takes longer than to find the problems.
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    const path = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
    await page.evaluate(await readFile(path, 'utf8'))
  }
  const violations = await page.evaluate(async () => {
    const result = await globalThis.axe.run()
    return result.violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      html: nodes.map((node) => node.html),
    }))
  })
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .map(({ id, html }) => `${id}: ${html.join(' ')}`)
}

declare global {
  // The script of axe-core sets it.
  var axe: typeof Axe
}
