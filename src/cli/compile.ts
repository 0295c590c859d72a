import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Command } from 'commander'
import type { CompiledModule } from '../codegen/compiled-module.ts'
import { toLiteral } from '../codegen/print-type.ts'
import type { LoadedDocument } from '../document/load-document.ts'
import type { LoadOptions } from '../document/load-options.ts'
import { version } from '../generated/package.ts'
import { count, UsageError } from '../validation/usage-error.ts'
import { describeMistakes, diagnosticLine, knownMistakes } from './diagnostics.ts'
import { FileWatcher } from './file-watcher.ts'
import { stopSignal } from './listen.ts'
import { openDocument } from './open-document.ts'
import { addDocumentOptions, collect, type DocumentFlags, loadOptions } from './setting-options.ts'
import { refusedBySystem, systemErrorCode } from './system-error.ts'
import { printable, printableLines, shellWord, withoutCredentials } from './terminal.ts'
import { requireWatchable } from './watch.ts'

interface CompileFlags extends DocumentFlags {
  readonly output: string
  readonly operations?: readonly string[]
  readonly tags?: readonly string[]
  readonly force?: boolean
  readonly check?: boolean
  readonly watch?: boolean
}

/** `pet-sandbox compile`: writes the contract of a document as a module. */
export function compileCommand(): Command {
  const command = new Command('compile')
    .description('write a document as a module, for pages with a strict content security policy')
    .argument('<openapi>', 'OpenAPI document: a file, a URL, or - for standard input')
    .option(
      '-o, --output <file>',
      'module to write, with its types beside it; - prints it',
      'contract.js',
    )
    .option(
      '--operations <list>',
      "only these operations, by id or as 'GET /books', separated by commas; repeatable",
      collect,
    )
    .option('--tags <list>', 'only operations with one of these tags; repeatable', collect)
    .option('--check', 'write nothing, and exit with 1 if the module is not up to date')
    .option('--watch', 'write the module again whenever a file of the document changes')
    .option('--force', 'overwrite files that this command did not write')
    .option(
      '--base-path <path>',
      'path of all operations, for example /v1 (default: from the document)',
    )

  return addDocumentOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  pet-sandbox compile books.yaml --output src/contract.js
  pet-sandbox compile books.yaml --operations listBooks,getBook --tags Orders
  pet-sandbox compile books.yaml --output src/contract.js --watch
  pet-sandbox compile books.yaml --output src/contract.js --check   # in CI`,
    )
    .action(compile)
}

async function compile(openapi: string, flags: CompileFlags): Promise<void> {
  const files = filesFor(flags.output)
  if (!files) {
    refuseStandardOutput(flags)
    const printed = await compileDocument(openapi, flags)
    printMistakes(printed)
    process.stdout.write(printed.module.code)
    return
  }
  if (flags.watch) requireWatchable({ openapi, watch: true })
  if (flags.check) return check(files, openapi, flags)
  const read = new Set<string>()
  const compiled = await compileDocument(openapi, flags, (path) => read.add(path))
  printMistakes(compiled)
  if (!flags.force) for (const [file] of draftsOf(files, compiled)) await refuseForeign(file)
  for (const [file, text] of draftsOf(files, compiled)) await write(file, text)
  process.stdout.write(`${wrote(files, compiled)} Use it so:
  import { contract } from ${toLiteral(`./${basename(files.module)}`)}
  const handlers = toHandlers(createSandbox({ contract }))
`)
  if (flags.watch) await watchDocument(files, openapi, flags, read)
}

/** A document as a module. */
interface CompiledDocument {
  readonly document: LoadedDocument
  readonly options: LoadOptions
  readonly module: CompiledModule
  readonly operations: number
}

/** Calls `onRead` with the path of each file of the document. */
async function compileDocument(
  openapi: string,
  flags: CompileFlags,
  onRead?: (path: string) => void,
): Promise<CompiledDocument> {
  const options = loadOptions(flags)
  const document = await openDocument(openapi, { ...options, ...(onRead && { onRead }) })
  // They load Ajv's code generator.
  const { compileModule } = await import('../codegen/compiled-module.ts')
  const { selectOperations } = await import('../codegen/select-operations.ts')
  const contract = selectOperations(document.contract, {
    operations: listed(flags.operations),
    tags: listed(flags.tags),
  })
  const module = compileModule(contract, {
    heading: `${MARK} ${version}. Do not edit it: write it anew.`,
    command: commandFor(openapi, flags),
  })

  return { document, options, module, operations: contract.operations.length }
}

/** The names of an option whose values are lists. */
function listed(lists: readonly string[] | undefined): readonly string[] | undefined {
  return lists
    ?.flatMap((list) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** Sets the exit code 1 unless the files have the module of the document. */
async function check(files: ModuleFiles, openapi: string, flags: CompileFlags): Promise<void> {
  const { module } = await compileDocument(openapi, flags)
  const [code, types] = await Promise.all([readIfExists(files.module), readIfExists(files.types)])
  const difference = differenceOf({ code, types }, module, files)
  if (difference === undefined) {
    process.stdout.write(`${printable(files.module)} is up to date.\n`)
    return
  }
  const text = `${files.module} is not up to date: ${difference}. Run: ${commandFor(openapi, flags)}`
  process.stderr.write(`pet-sandbox: ${printable(text)}\n`)
  process.exitCode = 1
}

/** What differs between the files of a module and the module: a clause without a full stop. */
function differenceOf(
  files: { readonly [Part in keyof CompiledModule]: string | undefined },
  module: CompiledModule,
  names: ModuleFiles,
): string | undefined {
  const { code, types } = files
  if (code === undefined) return `the file ${names.module} does not exist`
  if (types === undefined) return `the file ${names.types} does not exist`
  // Git may write other ends of lines.
  const before = code.replaceAll('\r\n', '\n')
  const typesBefore = types.replaceAll('\r\n', '\n')
  if (before === module.code && typesBefore === module.types) return undefined
  const [mark = '', command] = before.split('\n')
  const writer = WRITER.exec(mark)?.[1]
  if (writer === undefined) return 'pet-sandbox did not write it'
  if (writer !== version) return `pet-sandbox ${writer} wrote it, and this is ${version}`
  if (command !== module.code.split('\n')[1]) return 'another command wrote it'
  const [had, has] = [operationsIn(typesBefore), operationsIn(module.types)]
  const changes = [
    ...namesWithout('lacks', has, had),
    ...namesWithout('has the removed operation', had, has),
  ]
  if (changes.length > 0) return `it ${changes.join(' and ')}`
  return 'the document or an overlay has changed, or the file was edited'
}

function namesWithout(
  verb: string,
  names: readonly string[],
  others: readonly string[],
): readonly string[] {
  const [first, ...more] = names.filter((name) => !others.includes(name))
  if (first === undefined) return []
  return [`${verb} ${first}${more.length > 0 ? ` and ${more.length} more` : ''}`]
}

/** The names of the operations in the types of a module. */
function operationsIn(types: string): readonly string[] {
  return /^ {2}operation: (.*)$/m.exec(types)?.[1]?.split(' | ') ?? []
}

/** Writes the module again when a file of the document changes, until a signal ends it. */
async function watchDocument(
  files: ModuleFiles,
  openapi: string,
  flags: CompileFlags,
  start: ReadonlySet<string>,
): Promise<void> {
  let last: ReadonlySet<string> = start
  const watcher = new FileWatcher(async () => {
    const read = new Set<string>()
    try {
      const compiled = await compileDocument(openapi, flags, (path) => read.add(path))
      for (const [file, text] of draftsOf(files, compiled)) await write(file, text)
      process.stdout.write(`${wrote(files, compiled)}${describeFirstMistake(compiled)}\n`)
      last = read
    } catch (error) {
      const reason =
        error instanceof UsageError ? error.message : `Cannot compile: ${String(error)}.`
      const text = `${reason} The last good module stays.`
      process.stderr.write(`pet-sandbox: ${printableLines(text)}\n`)
    }
    // After a mistake, the files of the last good version are watched, too.
    await watcher.watch([...last, ...read])
  })
  await watcher.watch(last)
  const stopped = stopSignal({ keepsAlive: true })
  process.stdout.write('Watching the document. Press Ctrl+C to stop.\n')
  await stopped
  watcher.close()
}

/** The first mistake of a document in one line, and how many others there are; empty without any. */
function describeFirstMistake({ document: { diagnostics } }: CompiledDocument): string {
  const [first] = diagnostics.list(0, 1)
  if (!first) return ''
  const more = diagnostics.count - 1
  return ` ${diagnosticLine(first)}${more > 0 ? ` There are ${count(more, 'more mistake')}.` : ''}`
}

/** Standard output may be the module. */
function printMistakes({ document, options }: CompiledDocument): void {
  const { overlays = [], remoteRefs = false, outsideRefs = false, headers = {} } = options
  const mistakes = knownMistakes(document, { headers, overlay: overlays, remoteRefs, outsideRefs })
  if (mistakes) process.stderr.write(`pet-sandbox: ${printable(describeMistakes(mistakes))}\n`)
}

function wrote({ module, types }: ModuleFiles, compiled: CompiledDocument): string {
  const size = `${count(compiled.operations, 'operation')}, ${sizeOf(compiled.module.code)}`
  return `Wrote ${printable(module)} (${size}) and ${printable(basename(types))}.`
}

/** How the files begin that this command writes. */
const MARK = 'Written by pet-sandbox'
const WRITER = new RegExp(`^// ${MARK} (\\S+)\\. `)

interface ModuleFiles {
  readonly module: string
  readonly types: string
}

function draftsOf(
  files: ModuleFiles,
  { module }: CompiledDocument,
): readonly (readonly [file: string, text: string])[] {
  return [
    [files.types, module.types],
    [files.module, module.code],
  ]
}

function refuseStandardOutput({ check: isChecked, watch }: CompileFlags): void {
  if (!(isChecked || watch)) return
  throw new UsageError({
    code: 'invalid_value',
    task: `use ${isChecked ? '--check' : '--watch'}`,
    reason: 'standard output cannot be kept up to date',
    help: 'Use --output contract.js.',
  })
}

/** The files of a module; `undefined` for standard output. */
function filesFor(output: string): ModuleFiles | undefined {
  if (output === '-') return undefined
  const [, base, extension] = /^(.*)\.(m?)js$/.exec(output) ?? []
  if (base !== undefined) return { module: output, types: `${base}.d.${extension}ts` }
  throw new UsageError({
    code: 'invalid_value',
    task: `write ${output}`,
    reason: 'the name of a module ends with .js or .mjs',
    help: 'Use --output contract.js.',
  })
}

/** The command that writes the module again, without headers, because they may be secret. */
function commandFor(openapi: string, flags: CompileFlags): string {
  const given = [
    ...[withoutCredentials(openapi), '--output', flags.output],
    ...(flags.operations ?? []).flatMap((list) => ['--operations', list]),
    ...(flags.tags ?? []).flatMap((list) => ['--tags', list]),
    ...(flags.basePath === undefined ? [] : ['--base-path', flags.basePath]),
    ...(flags.header ?? []).flatMap(() => ['--header', '…']),
    ...(flags.overlay ?? []).flatMap((file) => ['--overlay', withoutCredentials(file)]),
    ...(flags.allowRemoteRefs ? ['--allow-remote-refs'] : []),
    ...(flags.allowOutsideRefs ? ['--allow-outside-refs'] : []),
    ...(flags.strict ? ['--strict'] : []),
    ...(flags.inference === false ? ['--no-inference'] : []),
  ]
  return `npx pet-sandbox compile ${given.map(shellWord).join(' ')}`
}

async function refuseForeign(file: string): Promise<void> {
  const before = await readIfExists(file)
  if (before === undefined || before.startsWith(`// ${MARK}`)) return
  throw new UsageError({
    code: 'file_exists',
    task: `write ${file}`,
    reason: 'the file exists already, and this command did not write it',
    help: 'Use --force to overwrite it, or --output for another name.',
  })
}

async function readIfExists(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw cannotWrite(file, error)
  })
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw cannotWrite(file, error)
  })
}

function cannotWrite(file: string, error: unknown): UsageError {
  return refusedBySystem(error, {
    code: 'unusable_file',
    task: `write ${file}`,
    help: 'Name another file with --output.',
    reasons: { ENOENT: 'the folder does not exist' },
  })
}

function sizeOf(text: string): string {
  const bytes = Buffer.byteLength(text)
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
