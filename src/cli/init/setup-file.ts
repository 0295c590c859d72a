import { dirname, relative } from 'node:path/posix'
import { UsageError, unknownName } from '../../validation/usage-error.ts'

/** The supported runners. */
export const RUNNERS = ['vitest', 'jest', 'playwright', 'storybook', 'browser'] as const
export type Runner = (typeof RUNNERS)[number]

/** The page of a project. */
export interface Page {
  /** The entry module, relative to the project; `undefined` when it is not known. */
  readonly entry: string | undefined
  /** The expression that the bundler replaces with `false` in a production build. */
  readonly isDevelopment: string
}

/** A setup file, and the steps that remain for the developer. */
export interface SetupFile {
  /** The path relative to the project, without the extension. */
  readonly file: string
  readonly text: string
  readonly next: (file: string, project: Page) => string
  /** Whether it runs in a page, which needs the worker script of MSW. */
  readonly needsWorker: boolean
}

/** The runner with a name. Throws a UsageError for an unknown name. */
export function toRunner(name: string): Runner {
  const known = RUNNERS.find((runner) => runner === name)
  if (known) return known
  throw new UsageError({
    code: 'unknown_runner',
    task: 'set up the test runner',
    ...unknownName('test runner', name, RUNNERS),
  })
}

/** The setup file of a runner. */
export function setupFileFor(runner: Runner, isTypeScript: boolean): SetupFile {
  switch (runner) {
    case 'vitest':
      return {
        file: 'sandbox.setup',
        text: inNode('vitest'),
        next: (file) => `In the Vitest configuration, add: test: { setupFiles: ['./${file}'] }`,
        needsWorker: false,
      }
    case 'jest':
      return {
        file: 'sandbox.setup',
        text: inNode('@jest/globals'),
        next: (file) =>
          `In the Jest configuration, add: setupFilesAfterEnv: ['<rootDir>/${file}']\nRun Jest with NODE_OPTIONS=--experimental-vm-modules`,
        needsWorker: false,
      }
    case 'playwright':
      return {
        file: 'sandbox.fixture',
        text: inPlaywright(isTypeScript),
        next: (file) => `In the tests, import "test" from ./${file} instead of @playwright/test`,
        needsWorker: false,
      }
    case 'storybook':
      return {
        file: '.storybook/sandbox',
        text: IN_STORYBOOK,
        next: () => `In .storybook/preview, add: export { loaders } from './sandbox'`,
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

/** The lines that start the worker in the entry module of the page. */
function startWorker(file: string, { entry, isDevelopment }: Page): string {
  const where = entry ?? 'the entry module of your page'
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

/** Answers requests to any origin under the base path. A test adds its own handlers with \`server.use()\`. */
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

/** Each test has its own sandbox, which answers the requests of its page. */
export const test = base.extend${type}({
  sandbox: [
    async ({ page }, use) => {
      const sandbox = createSandbox()
      const { basePath } = sandbox.contract
      await page.route(
        ({ pathname }) => pathname.startsWith(\`\${basePath}/\`),
        async (route) => {
          const request = route.request()
          const response = await sandbox.fetch(
            new Request(request.url(), {
              method: request.method(),
              headers: request.headers(),
              body: request.postData(),
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

/** Each story starts with the same records. */
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

/** Resolves when the sandbox answers the requests of the page. */
export async function startSandbox() {
  await worker.start()
}
`
