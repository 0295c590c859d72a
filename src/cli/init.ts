import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import { contract as shippedContract } from '../generated/contract.ts'
import { UsageError } from '../validation/usage-error.ts'
import { collect } from './collect.ts'
import { documentArgument } from './document-options.ts'
import {
  detectPage,
  detectPublicFolder,
  detectRunners,
  type Project,
  readProject,
  readWorkerScript,
} from './init/project.ts'
import { RUNNERS, type Runner, type SetupFile, setupFileFor, toRunner } from './init/setup-file.ts'
import { openContract } from './open-contract.ts'

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
}

/** `pet-sandbox init`: writes the worker script and a setup file for each test runner of the project. */
export function initCommand(): Command {
  return new Command('init')
    .description(
      'write a setup file for the test runner of this project, and the worker script of MSW',
    )
    .argument('[openapi]', documentArgument(shippedContract.title))
    .option(
      '--runner <name>',
      `${RUNNERS.join(', ')}; repeatable (default: the runners in package.json)`,
      collect,
    )
    .option('--public-dir <folder>', 'folder for the worker script (default: public or static)')
    .option('--force', 'overwrite existing files')
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
  if (openapi !== undefined) await openContract(openapi, {})
  const chosen = options.runner?.map(toRunner)
  const project = await readProject(folder)
  const script = await readWorkerScript(project)
  const runners = chosen ?? (await findRunners(project))
  const setUps = runners.map((runner) => setupFileFor(runner, project.isTypeScript, openapi))
  const publicFolder = options.publicDir ?? detectPublicFolder(project)
  if (publicFolder === undefined && setUps.some(({ needsWorker }) => needsWorker)) {
    throw new UsageError({
      code: 'no_public_folder',
      task: 'write the worker script',
      reason: 'there is no folder "public" or "static"',
      help: 'Name the folder with --public-dir.',
    })
  }
  const fileOf = ({ file }: SetupFile): string => `${file}.${project.isTypeScript ? 'ts' : 'js'}`
  const drafts = setUps.map((setUp) => ({ file: fileOf(setUp), text: setUp.text }))
  if (publicFolder !== undefined) drafts.push({ file: join(publicFolder, WORKER), text: script })
  const written = await writeAll(project, drafts, options.force ?? false)

  const missing = project.packages.has('pet-sandbox') ? [] : ['npm install --save-dev pet-sandbox']
  const page = await detectPage(project)
  const steps = [...missing, ...setUps.map((setUp) => setUp.next(fileOf(setUp), page))]
  const lines = steps.flatMap((step) => step.split('\n'))
  process.stdout.write(`${[...written, '', 'Next:', ...lines.map(indented)].join('\n')}\n`)
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
  const existing = drafts.find(({ text }, at) => ![undefined, text].includes(before[at]))
  if (existing && !isForced) {
    throw new UsageError({
      code: 'file_exists',
      task: `write ${existing.file}`,
      reason: 'the file exists already',
      help: 'Use --force to overwrite it.',
    })
  }
  for (const { file, text } of drafts) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  return drafts.map(({ file, text }, at) => `${before[at] === text ? 'Kept' : 'Wrote'} ${file}`)
}

async function readIfExists(file: string): Promise<string | undefined> {
  return existsSync(file) ? readFile(file, 'utf8') : undefined
}

function indented(line: string): string {
  return `  ${line}`
}
