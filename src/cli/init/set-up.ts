import { dirname, relative } from 'node:path/posix'
import { UsageError, unknownName } from '../../validation/usage-error.ts'

/** What a set-up file can be written for. */
export const RUNNERS = ['vitest', 'jest', 'playwright', 'storybook', 'browser'] as const
export type Runner = (typeof RUNNERS)[number]

/** What the pages of a project are made from. */
export interface Page {
  /** The module that the page loads first, below the project's folder; `undefined` when it is not known. */
  readonly entry: string | undefined
  /** The expression that a bundler of the project replaces with `false` in a production build. */
  readonly isDevelopment: string
}

/** A set-up file, and what is left to do by hand. */
export interface SetUp {
  /** Below the project's folder, without the ending. */
  readonly file: string
  readonly text: string
  readonly next: (file: string, project: Page) => string
  /** Whether it runs in a page, where MSW needs its worker script. */
  readonly needsWorker: boolean
}

/** The runner of a name; throws a UsageError for one that there is not. */
export function toRunner(name: string): Runner {
  const known = RUNNERS.find((runner) => runner === name)
  if (known) return known
  throw new UsageError({
    code: 'unknown_runner',
    task: 'set up the test runner',
    ...unknownName('test runner', name, RUNNERS),
  })
}

/** The set-up of a runner. */
export function setUpFor(runner: Runner, isTypeScript: boolean): SetUp {
  switch (runner) {
    case 'vitest':
      return {
        file: 'sandbox.setup',
        text: inNode('vitest'),
        next: (file) => `Name it in vitest.config: test: { setupFiles: ['./${file}'] }`,
        needsWorker: false,
      }
    case 'jest':
      return {
        file: 'sandbox.setup',
        text: inNode('@jest/globals'),
        next: (file) =>
          `Name it in jest.config: setupFilesAfterEnv: ['<rootDir>/${file}'], and run Jest with NODE_OPTIONS=--experimental-vm-modules`,
        needsWorker: false,
      }
    case 'playwright':
      return {
        file: 'sandbox.fixture',
        text: inPlaywright(isTypeScript),
        next: (file) => `Import test from ./${file} in place of @playwright/test`,
        needsWorker: false,
      }
    case 'storybook':
      return {
        file: '.storybook/sandbox',
        text: IN_STORYBOOK,
        next: () => `Add to .storybook/preview: export { loaders } from './sandbox'`,
        needsWorker: true,
      }
    case 'browser':
      return {
        file: 'src/sandbox',
        text: IN_BROWSER,
        next: startWorker,
        needsWorker: true,
      }
  }
}

/** The lines that start the worker, for the module that the page loads first. */
function startWorker(file: string, { entry, isDevelopment }: Page): string {
  const where = entry ?? 'the module that your page loads first'
  const path = relative(dirname(entry ?? file), file.replace(/\.ts$/, ''))

  return [
    `Start the worker in ${where}, before the application sends requests:`,
    `  if (${isDevelopment}) {`,
    `    const { startSandbox } = await import('${path.startsWith('.') ? path : `./${path}`}')`,
    '    await startSandbox()',
    '  }',
  ].join('\n')
}

function inNode(globals: string): string {
  const start = [
    `import { setupServer } from 'msw/node'`,
    `import { handlers, sandbox, strict } from 'pet-sandbox/msw'`,
  ]
  const hooks = `import { afterAll, afterEach, beforeAll } from '${globals}'`
  const imports = globals.startsWith('@') ? [hooks, ...start] : [...start, hooks]

  return `${imports.join('\n')}

/** Answers any origin under the base path; a test adds its own handlers by \`server.use()\`. */
export const server = setupServer(...handlers)

beforeAll(() => server.listen(strict))
afterEach(() => {
  server.resetHandlers()
  sandbox.reset()
})
afterAll(() => server.close())
`
}

function inPlaywright(isTypeScript: boolean): string {
  const type = isTypeScript ? '<{ sandbox: ShippedSandbox }>' : ''
  const named = isTypeScript ? 'createSandbox, type ShippedSandbox' : 'createSandbox'

  return `import { test as base } from '@playwright/test'
import { ${named} } from 'pet-sandbox'

export { expect } from '@playwright/test'

/** Every test has a sandbox of its own, which answers its page. */
export const test = base.extend${type}({
  sandbox: [
    async ({ page }, use) => {
      const sandbox = createSandbox()
      const { basePath } = sandbox.contract
      await page.route(
        ({ pathname }) => pathname.startsWith(\`\${basePath}/\`),
        async (route) => {
          const asked = route.request()
          const response = await sandbox.fetch(
            new Request(asked.url(), {
              method: asked.method(),
              headers: asked.headers(),
              body: asked.postData(),
            }),
          )
          await route.fulfill({
            status: response.status,
            headers: Object.fromEntries(response.headers),
            body: await response.text(),
          })
        },
      )
      await use(sandbox)
    },
    { auto: true },
  ],
})
`
}

const IN_STORYBOOK = `import { setupWorker } from 'msw/browser'
import { handlers, sandbox } from 'pet-sandbox/msw'

const worker = setupWorker(...handlers)
const started = worker.start({ quiet: true })

/** Every story starts with the same records. */
export const loaders = [
  async () => {
    await started
    sandbox.reset()
    return { sandbox }
  },
]
`

const IN_BROWSER = `import { setupWorker } from 'msw/browser'
import { handlers, sandbox } from 'pet-sandbox/msw'

export { sandbox }

const worker = setupWorker(...handlers)

/** Resolves once the page's requests are answered by the sandbox. */
export async function startSandbox() {
  await worker.start()
}
`
