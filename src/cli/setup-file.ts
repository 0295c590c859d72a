import { dirname, relative } from 'node:path/posix'
import { escapeInvisible, printLiteral } from '../codegen/print-literal.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import { shellWord } from './terminal.ts'

/** The supported runners. */
export const RUNNERS = ['vitest', 'jest', 'playwright', 'cypress', 'storybook', 'browser'] as const
export type Runner = (typeof RUNNERS)[number]

/** The page of a project. */
export interface Page {
  /** The entry module, relative to the project; `undefined` when it is not known. */
  readonly entry: string | undefined
  /** The expression that the bundler replaces with `false` in a production build. */
  readonly isDevelopment: string
}

/** The API of the project, and the files beside its document that belong to the sandbox. */
export interface OwnApi {
  readonly document: string
  /** The file with hints, if there is one. */
  readonly overlay: string | undefined
}

/** The module of the handlers, without the extension. */
export const HANDLERS = 'sandbox.handlers'

/** The file with hints. */
export const OVERLAY = 'sandbox.overlay.yaml'

/** A setup file, and the steps that remain for the developer. */
export interface SetupFile {
  /** The path relative to the project, without the extension. */
  readonly file: string
  readonly text: string
  readonly next: (file: string, project: Page) => string
  /** Whether it uses MSW, and whether it runs in a page, which needs the worker script of MSW. */
  readonly msw: 'none' | 'node' | 'page'
  /** Whether Node itself loads it, and no bundler. Default: no. */
  readonly isLoadedByNode?: true
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

/** The modules of a project: TypeScript, or JavaScript that Node reads as a module by its name (`mjs`) or by package.json (`js`). */
export type ModuleKind = 'ts' | 'js' | 'mjs'

/** The setup file of a runner, for the API of the project or, without one, for the shipped API. */
export function setupFileFor(
  runner: Runner,
  modules: ModuleKind,
  api: OwnApi | undefined,
): SetupFile {
  const written: WrittenFile = { modules, api }
  const common = modules === 'mjs' ? `\n${COMMON_TESTS}` : ''
  switch (runner) {
    case 'vitest':
      return {
        file: 'sandbox.setup',
        text: inNode('vitest', written),
        next: (file) => `In the Vitest configuration, add: test: { setupFiles: ['./${file}'] }`,
        msw: 'node',
      }
    case 'jest':
      return {
        file: 'sandbox.setup',
        text: inNode('@jest/globals', written),
        next: (file) =>
          `${compileStep(api, '.', modules)}In the Jest configuration, add: setupFilesAfterEnv: ['<rootDir>/${file}']\nRun Jest with NODE_OPTIONS=--experimental-vm-modules${common}`,
        msw: 'node',
        isLoadedByNode: true,
      }
    case 'playwright':
      return {
        file: 'sandbox.fixture',
        text: inPlaywright(written),
        next: (file) =>
          `In the tests, import "test" from ./${file} instead of @playwright/test${common}`,
        msw: 'none',
        isLoadedByNode: true,
      }
    case 'cypress':
      return {
        file: 'cypress/support/sandbox',
        text: IN_CYPRESS,
        next: () =>
          `In cypress/support/e2e, add: import { sandbox } from './sandbox'\nRun the sandbox beside the tests, with the origin of your page:\n  ${serveCommand(written)} --control-origin http://localhost:3000`,
        msw: 'none',
      }
    case 'storybook':
      return {
        file: '.storybook/sandbox',
        text: inStorybook(written),
        next: () =>
          `${compileStep(api, '.storybook')}In .storybook/preview, add: export { loaders } from './sandbox'`,
        msw: 'page',
      }
    case 'browser':
      return {
        file: 'src/sandbox',
        text: inBrowser(written),
        next: (file, page) => compileStep(api, 'src') + startWorker(file, page),
        msw: 'page',
      }
  }
}

/** What is said where package.json does not make modules of JavaScript files. */
const COMMON_TESTS =
  'Name tests that import it *.mjs, or add "type": "module" to package.json: CommonJS cannot import it'

/** What a file is written for. */
interface WrittenFile {
  readonly modules: ModuleKind
  readonly api: OwnApi | undefined
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
 * The lines that make the module of a document and keep it up to date. Pages need it because they cannot read documents, and Jest because
 * it cannot load what reads them.
 */
function compileStep(api: OwnApi | undefined, folder: string, modules: ModuleKind = 'js'): string {
  if (api === undefined) return ''
  const command = `npx pet-sandbox compile ${argumentsOf(api)} --output ${folder}/${contractFile(modules)}`

  return [
    command,
    `While you change the document, keep the module up to date: ${command} --watch`,
    `In CI, check that it is: ${command} --check`,
    '',
  ].join('\n')
}

/** TypeScript finds the declarations beside a `.js`. */
function contractFile(modules: ModuleKind): string {
  return modules === 'mjs' ? 'contract.mjs' : 'contract.js'
}

function argumentsOf({ document, overlay }: OwnApi): string {
  return [document, ...(overlay === undefined ? [] : ['--overlay', overlay])]
    .map(shellWord)
    .join(' ')
}

/** The command that serves the API of the project with its hints and handlers. */
export function serveCommand({ api, modules }: WrittenFile): string {
  if (api === undefined) return 'npx pet-sandbox'
  return `npx pet-sandbox ${argumentsOf(api)} --handlers ${HANDLERS}.${modules}`
}

/** The options of `loadContract` after the name of the document. */
function loadArguments({ document, overlay }: OwnApi): string {
  const options = overlay === undefined ? '' : `, { overlays: [${printLiteral(overlay)}] }`
  return printLiteral(document) + options
}

/** The import of the handlers in a file of a folder. TypeScript and bundlers find a `.ts` by this name, too. */
function importHandlers(folder: '.' | '..', modules: ModuleKind): string {
  return `import handlers from '${folder}/${HANDLERS}.${modules === 'ts' ? 'js' : modules}'`
}

/** The handlers file: an example for one operation of the document. */
export function handlersFile(document: string, { operations }: Contract): string {
  const example = operations.find(({ method }) => method === 'POST') ?? operations[0]
  const types = `npx openapi-typescript ${shellWord(document)} --output api.d.ts`
  const own = example ? exampleOf(example) : ['']

  return `import { defineHandlers } from 'pet-sandbox'

/**
 * Your own code for operations of the document, by their ids or by method and path. It answers instead of the sandbox.
 * For the exact types of each operation, write defineHandlers<operations>, with the types that this command writes:
 * ${escapeInvisible(types).replaceAll('*/', '*\\/')}
 */
export default defineHandlers({
${own.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}
})
`
}

function exampleOf({ id, responses }: Operation): readonly string[] {
  const name = /^[A-Za-z_$][\w$]*$/.test(id) ? id : printLiteral(id)
  const refusal = responses.find(({ status }) => status >= 400)
  const named = refusal ? '{ headers, next, reply }' : '{ next }'

  return [
    `async ${name}(${named}) {`,
    ...(refusal
      ? [
          `  // A request with the header "X-Refuse" gets the error ${refusal.status} of the document.`,
          `  if (headers['x-refuse'] !== undefined) return reply(${refusal.status})`,
        ]
      : []),
    '  // What the sandbox answers without this code.',
    '  return next()',
    '},',
  ]
}

/** The lines of a setup file that make handlers of the sandbox. */
interface SandboxLines {
  readonly imports: readonly string[]
  /** Between the imports and the handlers; empty for the shipped API. */
  readonly code: string
  readonly handlers: string
}

/** The sandbox of a document, which Vitest reads and others import; without one, that of the shipped API. */
function sandboxLines(
  { api, modules }: WrittenFile,
  place: 'vitest' | 'jest' | 'page',
): SandboxLines {
  const strict = place === 'page' ? '' : ', strict'
  if (api === undefined) {
    const imports = [`import { handlers, sandbox${strict} } from 'pet-sandbox/msw'`]
    return { imports, code: '', handlers: 'handlers' }
  }
  const contract =
    place === 'vitest'
      ? `import { loadContract } from 'pet-sandbox/load'`
      : `import { contract } from './${contractFile(place === 'jest' ? modules : 'js')}'`
  const names = place === 'page' ? 'toHandlers' : 'strict, toHandlers'
  const load =
    place === 'vitest' ? `\nconst contract = await loadContract(${loadArguments(api)})\n` : ''

  return {
    imports: [
      `import { createSandbox } from 'pet-sandbox'`,
      contract,
      `import { ${names} } from 'pet-sandbox/msw'`,
      importHandlers(place === 'page' ? '..' : '.', modules),
    ],
    code: `${load}\nexport const sandbox = createSandbox({ contract, handlers })\n`,
    handlers: 'toHandlers(sandbox)',
  }
}

function inNode(globals: 'vitest' | '@jest/globals', written: WrittenFile): string {
  const own = sandboxLines(written, globals === 'vitest' ? 'vitest' : 'jest')
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

function inPlaywright({ modules, api }: WrittenFile): string {
  const isTypeScript = modules === 'ts'
  const sandbox = api === undefined ? 'ShippedSandbox' : 'Sandbox'
  const type = isTypeScript ? `<{ sandbox: ${sandbox} }>` : ''
  const named = isTypeScript ? `createSandbox, type ${sandbox}` : 'createSandbox'
  const load =
    api === undefined ? '' : `\nconst contract = await loadContract(${loadArguments(api)})\n`
  const loader =
    load && `\nimport { loadContract } from 'pet-sandbox/load'\n${importHandlers('.', modules)}`

  return `import { test as base } from '@playwright/test'
import { ${named} } from 'pet-sandbox'${loader}

export { expect } from '@playwright/test'
${load}
/** Each test has its own sandbox, which answers the requests of its page. */
export const test = base.extend${type}({
  sandbox: [
    async ({ page }, use) => {
      const sandbox = createSandbox(${load && '{ contract, handlers }'})
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
          const body = await response.arrayBuffer().catch(() => undefined)
          // A forced fault of the connection is a network error in the page.
          if (response.type === 'error' || !body) return route.abort('connectionreset')
          const headers = Object.fromEntries(response.headers)
          // Playwright takes several cookies as lines.
          const cookies = response.headers.getSetCookie().join('\\n')
          await route.fulfill({
            status: response.status,
            headers: { ...headers, ...(cookies && { 'set-cookie': cookies }) },
            body: Buffer.from(body),
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

const IN_CYPRESS = `import { createClient } from 'pet-sandbox/client'

/** Steers the sandbox that runs beside the tests: forces outcomes, moves its clock, reads records. */
export const sandbox = createClient('http://127.0.0.1:4010')

beforeEach(() => {
  cy.wrap(sandbox.reset(), { log: false })
})
`

function inStorybook(written: WrittenFile): string {
  const own = sandboxLines(written, 'page')

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

function inBrowser(written: WrittenFile): string {
  const own = sandboxLines(written, 'page')

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
