import { dirname, relative } from 'node:path/posix'
import { printLiteral } from '../codegen/print-literal.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import { shellWord } from './terminal.ts'

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

/** The setup file of a runner, for a document or, without one, for the shipped API. */
export function setupFileFor(
  runner: Runner,
  isTypeScript: boolean,
  document: string | undefined,
): SetupFile {
  switch (runner) {
    case 'vitest':
      return {
        file: 'sandbox.setup',
        text: inNode('vitest', document),
        next: (file) => `In the Vitest configuration, add: test: { setupFiles: ['./${file}'] }`,
        needsWorker: false,
      }
    case 'jest':
      return {
        file: 'sandbox.setup',
        text: inNode('@jest/globals', document),
        next: (file) =>
          `${compileStep(document, '.')}In the Jest configuration, add: setupFilesAfterEnv: ['<rootDir>/${file}']\nRun Jest with NODE_OPTIONS=--experimental-vm-modules`,
        needsWorker: false,
      }
    case 'playwright':
      return {
        file: 'sandbox.fixture',
        text: inPlaywright(isTypeScript, document),
        next: (file) => `In the tests, import "test" from ./${file} instead of @playwright/test`,
        needsWorker: false,
      }
    case 'storybook':
      return {
        file: '.storybook/sandbox',
        text: inStorybook(document),
        next: () =>
          `${compileStep(document, '.storybook')}In .storybook/preview, add: export { loaders } from './sandbox'`,
        needsWorker: true,
      }
    case 'browser':
      return {
        file: 'src/sandbox',
        text: inBrowser(document),
        next: (file, page) => compileStep(document, 'src') + startWorker(file, page),
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

/**
 * The line that makes the module of a document. Pages need it because they cannot read documents, and Jest because it cannot load
 * what reads them.
 */
function compileStep(document: string | undefined, folder: string): string {
  return document === undefined
    ? ''
    : `npx pet-sandbox compile ${shellWord(document)} --output ${folder}/contract.js\n`
}

/** The lines of a setup file that make handlers of the sandbox. */
interface SandboxLines {
  readonly imports: readonly string[]
  /** Between the imports and the handlers; empty for the shipped API. */
  readonly code: string
  readonly handlers: string
}

/** The sandbox of a document, which Vitest reads and others import; without a document, that of the shipped API. */
function sandboxLines(
  document: string | undefined,
  place: 'vitest' | 'jest' | 'page',
): SandboxLines {
  const strict = place === 'page' ? '' : ', strict'
  if (document === undefined) {
    const imports = [`import { handlers, sandbox${strict} } from 'pet-sandbox/msw'`]
    return { imports, code: '', handlers: 'handlers' }
  }
  const contract =
    place === 'vitest'
      ? `import { loadContract } from 'pet-sandbox/load'`
      : `import { contract } from './contract.js'`
  const names = place === 'page' ? 'toHandlers' : 'strict, toHandlers'
  const load =
    place === 'vitest' ? `\nconst contract = await loadContract(${printLiteral(document)})\n` : ''

  return {
    imports: [
      `import { createSandbox } from 'pet-sandbox'`,
      contract,
      `import { ${names} } from 'pet-sandbox/msw'`,
    ],
    code: `${load}\nexport const sandbox = createSandbox({ contract })\n`,
    handlers: 'toHandlers(sandbox)',
  }
}

function inNode(globals: 'vitest' | '@jest/globals', document: string | undefined): string {
  const own = sandboxLines(document, globals === 'vitest' ? 'vitest' : 'jest')
  const start = [`import { setupServer } from 'msw/node'`, ...own.imports]
  const hooks = `import { afterAll, afterEach, beforeAll } from '${globals}'`
  const imports = globals.startsWith('@') ? [hooks, ...start] : [...start, hooks]

  return `${imports.join('\n')}
${own.code}
/** Answers requests to any origin under the base path. A test adds its own handlers with \`server.use()\`. */
export const server = setupServer(...${own.handlers})

beforeAll(() => server.listen(strict))
afterEach(() => {
  server.resetHandlers()
  sandbox.reset()
})
afterAll(() => server.close())
`
}

function inPlaywright(isTypeScript: boolean, document: string | undefined): string {
  const sandbox = document === undefined ? 'ShippedSandbox' : 'Sandbox'
  const type = isTypeScript ? `<{ sandbox: ${sandbox} }>` : ''
  const named = isTypeScript ? `createSandbox, type ${sandbox}` : 'createSandbox'
  const load =
    document === undefined
      ? ''
      : `\nconst contract = await loadContract(${printLiteral(document)})\n`
  const loader = load && `\nimport { loadContract } from 'pet-sandbox/load'`

  return `import { test as base } from '@playwright/test'
import { ${named} } from 'pet-sandbox'${loader}

export { expect } from '@playwright/test'
${load}
/** Each test has its own sandbox, which answers the requests of its page. */
export const test = base.extend${type}({
  sandbox: [
    async ({ page }, use) => {
      const sandbox = createSandbox(${load && '{ contract }'})
      const { basePath } = sandbox.contract
      await page.route(
        ({ pathname }) => pathname.startsWith(\`\${basePath}/\`),
        async (route) => {
          const request = route.request()
          const sent = request.postDataBuffer()
          const response = await sandbox.fetch(
            new Request(request.url(), {
              method: request.method(),
              headers: await request.allHeaders(),
              body: sent && new Uint8Array(sent),
            }),
          )
          await route.fulfill({
            status: response.status,
            headers: Object.fromEntries(response.headers),
            body: Buffer.from(await response.arrayBuffer()),
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

function inStorybook(document: string | undefined): string {
  const own = sandboxLines(document, 'page')

  return `import { setupWorker } from 'msw/browser'
${own.imports.join('\n')}
${own.code}
const worker = setupWorker(...${own.handlers})
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
}

function inBrowser(document: string | undefined): string {
  const own = sandboxLines(document, 'page')

  return `import { setupWorker } from 'msw/browser'
${own.imports.join('\n')}
${own.code || '\nexport { sandbox }\n'}
const worker = setupWorker(...${own.handlers})

/** Resolves when the sandbox answers the requests of the page. */
export async function startSandbox() {
  await worker.start()
}
`
}
