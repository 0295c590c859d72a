import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import { UsageError } from '../validation/usage-error.ts'
import { warningsOverlay } from './explain.ts'
import { openDocument } from './open-document.ts'
import { collect, DOCUMENT_ARGUMENT } from './setting-options.ts'
import {
  HANDLERS,
  handlersFile,
  type ModuleKind,
  OVERLAY,
  type Page,
  RUNNERS,
  type Runner,
  type SetupFile,
  serveCommand,
  setupFileFor,
  toRunner,
} from './setup-file.ts'

const WORKER = 'mockServiceWorker.js'

interface InitOptions {
  readonly runner?: readonly string[]
  readonly publicDir?: string
  readonly force?: boolean
}

/** A file to write to the project. */
interface Draft {
  readonly file: string
  readonly text: string
  /** Whether an existing file stays as it is, because developers change it. */
  readonly isOwn?: boolean
}

/** `pet-sandbox init`: writes the worker script and a setup file for each test runner of the project. */
export function initCommand(): Command {
  return new Command('init')
    .description(
      'write a setup file for the test runner of this project, and the worker script of MSW. For your own document, write a handlers file with an example, and an overlay with the hints that settle its warnings, too',
    )
    .argument('[openapi]', DOCUMENT_ARGUMENT)
    .option(
      '--runner <name>',
      `${RUNNERS.join(', ')}; repeatable (default: the runners in package.json)`,
      collect,
    )
    .option('--public-dir <folder>', 'folder for the worker script (default: public or static)')
    .option('--force', 'overwrite existing files')
    .addHelpText(
      'after',
      `
Examples:
  pet-sandbox init api.yaml
  pet-sandbox init api.yaml --runner playwright --runner storybook --public-dir public`,
    )
    .action((openapi: string | undefined, options: InitOptions) =>
      init(process.cwd(), openapi, options),
    )
}

async function init(
  folder: string,
  openapi: string | undefined,
  options: InitOptions,
): Promise<void> {
  // A document that cannot be served is a mistake now, not in the first test.
  const document = openapi === undefined ? undefined : await openDocument(openapi, {})
  const chosen = options.runner?.map(toRunner)
  const project = await readProject(folder)
  const runners = chosen ?? (await findRunners(project))
  const { modules } = project
  // Bundlers and transforms take any module for one.
  const bundled = modules === 'mjs' ? 'js' : modules
  const hints = document && (await warningsOverlay(document))
  const hasOverlay = hints !== undefined || (document && existsSync(join(folder, OVERLAY)))
  const api =
    openapi === undefined
      ? undefined
      : { document: openapi, overlay: hasOverlay ? OVERLAY : undefined }
  const setUps = runners.map((runner) => setupFileFor(runner, modules, api))
  const fileOf = ({ file, isLoadedByNode }: SetupFile): string =>
    `${file}.${isLoadedByNode ? modules : bundled}`
  const drafts: Draft[] = setUps.map((setUp) => ({ file: fileOf(setUp), text: setUp.text }))
  if (openapi !== undefined && document) {
    const text = handlersFile(openapi, document.contract)
    drafts.push({ file: `${HANDLERS}.${modules}`, text, isOwn: true })
  }
  if (hints !== undefined) drafts.push({ file: OVERLAY, text: hints, isOwn: true })
  drafts.push(...(await workerScript(project, setUps, options)))
  const written = await writeAll(project, drafts, options.force ?? false)

  const missing = project.packages.has('pet-sandbox') ? [] : ['npm install --save-dev pet-sandbox']
  const page = await detectPage(project)
  const serve = api ? [`To serve the API, run: ${serveCommand({ api, modules })}`] : []
  const steps = [...missing, ...setUps.map((setUp) => setUp.next(fileOf(setUp), page)), ...serve]
  const lines = steps.flatMap((step) => step.split('\n').map((line) => `  ${line}`))
  process.stdout.write(`${[...written, '', 'Next:', ...lines].join('\n')}\n`)
}

/** The worker script of MSW, where a set-up uses MSW and there is a folder for it. */
async function workerScript(
  project: Project,
  setUps: readonly SetupFile[],
  { publicDir }: InitOptions,
): Promise<readonly Draft[]> {
  if (setUps.every(({ msw }) => msw === 'none')) return []
  const text = await readWorkerScript(project)
  const publicFolder = publicDir ?? detectPublicFolder(project)
  if (publicFolder !== undefined) return [{ file: join(publicFolder, WORKER), text }]
  if (setUps.every(({ msw }) => msw !== 'page')) return []
  throw new UsageError({
    code: 'no_public_folder',
    task: 'write the worker script',
    reason: 'there is no folder "public" or "static"',
    help: 'Name the folder with --public-dir.',
  })
}

/** The runners in package.json. Without one, asks the developer if there is a terminal. */
async function findRunners(project: Project): Promise<Runner[]> {
  const found = detectRunners(project)
  if (found.length > 0) return found
  if (process.stdin.isTTY && process.stdout.isTTY) {
    const terminal = createInterface({ input: process.stdin, output: process.stdout })
    const answer = await terminal.question(`Which runner (${RUNNERS.join(', ')})? `)
    terminal.close()
    return [toRunner(answer.trim())]
  }
  throw new UsageError({
    code: 'no_runner',
    task: 'detect the test runner',
    reason: 'package.json lists no known test runner',
    help: `Name one with --runner: ${RUNNERS.join(', ')}.`,
    allowed: RUNNERS,
  })
}

/** Writes all files, or none if an existing file differs and must not be overwritten. Returns the output lines. */
async function writeAll(
  { folder }: Project,
  drafts: readonly Draft[],
  isForced: boolean,
): Promise<string[]> {
  const before = await Promise.all(drafts.map(({ file }) => readIfExists(join(folder, file))))
  const isKept = ({ text, isOwn }: Draft, at: number): boolean =>
    before[at] === text || (isOwn === true && !isForced && before[at] !== undefined)
  const existing = drafts.find((draft, at) => before[at] !== undefined && !isKept(draft, at))
  if (existing && !isForced) {
    throw new UsageError({
      code: 'file_exists',
      task: `write ${existing.file}`,
      reason: 'the file exists already',
      help: 'Use --force to overwrite it.',
    })
  }
  for (const { file, text } of drafts.filter((draft, at) => !isKept(draft, at))) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  return drafts.map((draft, at) => `${isKept(draft, at) ? 'Kept' : 'Wrote'} ${draft.file}`)
}

async function readIfExists(file: string): Promise<string | undefined> {
  return existsSync(file) ? readFile(file, 'utf8') : undefined
}

/** The project that `init` works in. */
interface Project {
  readonly folder: string
  /** All dependencies in package.json, of every kind. */
  readonly packages: ReadonlySet<string>
  readonly modules: ModuleKind
}

/** Reads the project of a folder. Throws a UsageError when package.json is missing or invalid. */
async function readProject(folder: string): Promise<Project> {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) {
    throw new UsageError({
      code: 'no_project',
      task: 'set up the project',
      reason: `there is no package.json in ${folder}`,
      help: 'Run this command in the folder of package.json, or run "npm init" first.',
    })
  }
  const { dependencies, devDependencies, peerDependencies, ...manifest } = await readJson(file)
  const packages = new Set(
    [dependencies, devDependencies, peerDependencies].flatMap((some) => Object.keys(some ?? {})),
  )
  const isTypeScript = packages.has('typescript') || existsSync(join(folder, 'tsconfig.json'))

  const isModule = String(manifest.type) === 'module'
  const script = isModule ? 'js' : 'mjs'

  return { folder, packages, modules: isTypeScript ? 'ts' : script }
}

async function readJson(file: string): Promise<Readonly<Record<string, object | undefined>>> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (cause) {
    throw new UsageError({
      code: 'invalid_project',
      task: `read ${file}`,
      reason: 'the file is not valid JSON',
      help: 'Correct it first.',
      cause,
    })
  }
}

/** The test runners among the dependencies of the project. */
function detectRunners({ packages }: Project): Runner[] {
  const markers: Readonly<Record<Runner, readonly string[]>> = {
    vitest: ['vitest'],
    jest: ['jest'],
    playwright: ['@playwright/test'],
    cypress: ['cypress'],
    storybook: ['storybook'],
    browser: [],
  }
  return RUNNERS.filter((runner) => markers[runner].some((name) => packages.has(name)))
}

/** The usual folder of static files, if it exists. */
function detectPublicFolder({ folder }: Project): string | undefined {
  return ['public', 'static'].find((name) => existsSync(join(folder, name)))
}

/** Packages that use Vite. */
const VITE = ['vite', 'astro', 'nuxt', '@sveltejs/kit']

/** The usual names of the entry module of a page, without the extension. */
const ENTRIES = ['src/main', 'src/index', 'src/client', 'app/entry.client', 'main', 'index']

/** The entry module of the project's page, and the expression with which its bundler detects a development build. */
async function detectPage({ folder, packages }: Project): Promise<Page> {
  const usual = ENTRIES.flatMap((name) =>
    ['tsx', 'ts', 'jsx', 'js', 'mjs'].map((ending) => `${name}.${ending}`),
  )
  const page = await readIfExists(join(folder, 'index.html'))
  const named = [...(page ?? '').matchAll(MODULE)].map(([, file = '']) => file)
  const entry = [...named, ...usual].find((file) => existsSync(join(folder, file)))
  const isVite = VITE.some((name) => packages.has(name))

  return {
    entry,
    isDevelopment: isVite ? 'import.meta.env.DEV' : "process.env.NODE_ENV !== 'production'",
  }
}

/** The `src` of a script element, without a leading `./` or `/`. */
const MODULE = /<script\b[^>]*?\ssrc=["']?(?:\.?\/)?([^"'\s>]+)/gi

/** The worker script of the project's own MSW, because both must have the same version. */
async function readWorkerScript({ folder }: Project): Promise<string> {
  const { resolve } = createRequire(join(folder, 'package.json'))
  try {
    return await readFile(resolve('msw/mockServiceWorker.js'), 'utf8')
  } catch (cause) {
    throw new UsageError({
      code: 'no_msw',
      task: 'set up the project',
      reason: `msw is not installed in ${folder}`,
      help: 'Run "npm install --save-dev msw" first.',
      cause,
    })
  }
}
