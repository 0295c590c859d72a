import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from '../browser.ts'
import { serveSandbox, stopServers } from '../servers.ts'
import { openSite, SHOP_POLICY, serveSite } from '../site.ts'

const run = promisify(execFile)
const PAGE = await readFile('src/testing/consumer/page.html', 'utf8')

/** The example of fake timers, in Jest. */
const JEST_FAKE_TIMERS = `
import { afterEach, expect, jest, test } from '@jest/globals'
import { createSandbox } from 'pet-sandbox'

afterEach(() => jest.useRealTimers())

test('a slow store serves us again when the minute is over', async () => {
  jest.useFakeTimers()
  jest.setSystemTime(new Date('2027-03-31T23:59:50Z'))
  const sandbox = createSandbox({ plans: { free: { minute: 1 } }, latency: '2s' })
  const headers = { Authorization: 'Bearer sk_sandbox_free' }
  const list = () => sandbox.fetch(new Request('http://localhost/v1/pets', { headers }))

  const answers = Promise.all([list(), list()])
  await jest.advanceTimersByTimeAsync(2000)
  expect((await answers).map(({ status }) => status)).toEqual([200, 429])

  jest.setSystemTime(new Date('2027-04-01T00:00:00Z'))
  const served = list()
  await jest.advanceTimersByTimeAsync(2000)
  expect(await (await served).json()).toHaveLength(20)
})
`

/** A test that uses the matcher as the declaration says. */
const JEST_TYPED = `
import { expect } from '@jest/globals'
import { createSandbox } from 'pet-sandbox'

expect(createSandbox()).toHaveBehaved({ minCoverage: 80 })
`

/** A project of a user's, with the runners that ours does not use. */
let project = ''

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const runners = ['jest@30', '@playwright/test@1.65', 'msw-storybook-addon@3']
  // The addon asks for the whole of Storybook, of which it needs nothing.
  const quiet = ['--legacy-peer-deps', '--prefer-offline', '--no-audit', '--no-fund', '--silent']
  await run('npm', ['install', ...quiet, ...runners], { cwd: project })
  await symlink(resolve('.'), join(project, 'node_modules/pet-sandbox'))
  await symlink(resolve('node_modules/msw'), join(project, 'node_modules/msw'))
  await cp('src/testing/guide/examples', project, { recursive: true })
})

afterAll(() => rm(project, { recursive: true }))

/** What a runner of the project prints. */
async function print(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const options = { cwd: project, env: { PATH, HOME, ...env } }
  const done = await run('npx', ['--no-install', ...args], options).catch((failed) => failed)
  return done.stdout + done.stderr
}

/** What the compiler prints about a module of the project. */
async function compile(text: string): Promise<string> {
  await writeFile(join(project, 'typed.ts'), text)
  const options = '--noEmit --strict --skipLibCheck --types node --module nodenext --target es2022'
  return print([resolve('node_modules/.bin/tsc'), ...options.split(' '), 'typed.ts'])
}

describe('the examples of the guide', () => {
  test('run in Jest', async () => {
    await writeFile(join(project, 'fake-timers.test.js'), JEST_FAKE_TIMERS)

    const output = await print(['jest', '--testTimeout=60000'], {
      NODE_OPTIONS: '--experimental-vm-modules',
    })

    expect(output).toMatch(/Tests: +2 passed, 2 total/)
  })

  test('declare the matcher for Jest', async () => {
    const declaration = await readFile(join(project, 'matcher-types-jest.ts'), 'utf8')

    expect(await compile(JEST_TYPED)).toContain("Property 'toHaveBehaved' does not exist")
    expect(await compile(JEST_TYPED + declaration)).not.toContain('error')
  })

  test.skipIf(!findBrowser())('run in Playwright', async () => {
    const site = await serveSite({
      script: 'src/testing/consumer/app.ts',
      html: PAGE,
      policy: SHOP_POLICY,
    })
    const launchOptions = { executablePath: findBrowser(), args: ['--no-sandbox'] }
    const use = { baseURL: site.origin, launchOptions }
    const config = `export default ${JSON.stringify({ use, testMatch: '*.spec.js', timeout: 120_000 })}`
    await writeFile(join(project, 'playwright.config.js'), config)

    // At the last moment of a minute. It is frozen there, so that an example that goes by this time fails in every run.
    const clock = '2027-03-01T12:00:59.500Z'
    const eve = { description: 'The end of a minute.', clock, frozen: true }
    const { origin } = await serveSandbox({ sandbox: { scenarios: { eve }, scenario: 'eve' } })
    const output = await print(['playwright', 'test'], { PET_SANDBOX_URL: origin })
    site.close()
    await stopServers()

    expect(output).toMatch(/2 passed/)
  })

  test.skipIf(!findBrowser())("run as Storybook's preview, by its addon", async () => {
    const script = join(project, 'story.js')
    await writeFile(
      script,
      `import preview from './storybook-preview.js'
      const context = { parameters: preview.parameters }
      for (const load of preview.loaders) await load(context)
      await preview.beforeEach()
      const headers = { Authorization: 'Bearer sk_sandbox_free' }
      const response = await fetch('https://api.example.com/v1/pets?limit=1', { headers })
      document.title = JSON.stringify(await response.json())`,
    )
    const site = await openSite({ script })
    await site.page.waitForFunction(() => document.title.startsWith('['))
    const [pet] = JSON.parse(await site.page.title())
    await site.close()

    expect(pet).toMatchObject({ id: 1, name: 'Winston' })
  })

  test.skipIf(!findBrowser())('run in a plain page', async () => {
    const script = 'src/testing/guide/examples/browser.ts'
    const site = await openSite({ script, html: PAGE, policy: SHOP_POLICY })

    await site.page.getByText('8 shown').waitFor()
    await site.close()

    expect(site.pageErrors).toEqual([])
  })
})
