import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Command } from 'commander'
import { toLiteral } from '../codegen/print-type.ts'
import type { LoadedDocument } from '../document/load-document.ts'
import type { LoadOptions } from '../document/load-options.ts'
import { version } from '../generated/package.ts'
import { count, UsageError } from '../validation/usage-error.ts'
import { describeMistakes, knownMistakes } from './diagnostics.ts'
import { openDocument } from './open-document.ts'
import { addDocumentOptions, collect, type DocumentFlags, loadOptions } from './setting-options.ts'
import { refusedBySystem, systemErrorCode } from './system-error.ts'
import { printable, shellWord, withoutCredentials } from './terminal.ts'

interface CompileFlags extends DocumentFlags {
  readonly output: string
  readonly operations?: readonly string[]
  readonly force?: boolean
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
  pet-sandbox compile books.yaml --operations listBooks,getBook`,
    )
    .action(compile)
}

async function compile(openapi: string, flags: CompileFlags): Promise<void> {
  const files = filesFor(flags.output)
  const options = loadOptions(flags)
  const document = await openDocument(openapi, options)
  const { contract: loaded } = document
  // They load Ajv's code generator.
  const { compileModule, selectOperations } = await import('../codegen/compiled-module.ts')
  const names = flags.operations
    ?.flatMap((list) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const contract = names === undefined ? loaded : selectOperations(loaded, names)
  const { code, types } = compileModule(contract, {
    heading: `${MARK} ${version}. Do not edit it: write it anew.`,
    command: `npx pet-sandbox compile ${argumentsFor(openapi, flags)}`,
  })
  printMistakes(document, options)
  if (!files) {
    process.stdout.write(code)
    return
  }
  const drafts = [
    [files.module, code],
    [files.types, types],
  ] as const
  if (!flags.force) for (const [file] of drafts) await refuseForeign(file)
  for (const [file, text] of drafts) await write(file, text)
  const operations = count(contract.operations.length, 'operation')
  process.stdout.write(`Wrote ${printable(files.module)} (${operations}, ${sizeOf(code)}) and ${printable(basename(files.types))}. Use it so:
  import { contract } from ${toLiteral(`./${basename(files.module)}`)}
  const handlers = toHandlers(createSandbox({ contract }))
`)
}

/** Standard output may be the module. */
function printMistakes(document: LoadedDocument, options: LoadOptions): void {
  const { overlays = [], remoteRefs = false, outsideRefs = false, headers = {} } = options
  const mistakes = knownMistakes(document, { headers, overlay: overlays, remoteRefs, outsideRefs })
  if (mistakes) process.stderr.write(`pet-sandbox: ${printable(describeMistakes(mistakes))}\n`)
}

/** How the files begin that this command writes. */
const MARK = 'Written by pet-sandbox'

/** The files of a module; `undefined` for standard output. */
function filesFor(output: string): { readonly module: string; readonly types: string } | undefined {
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

/** The arguments that write the module again, without headers, because they may be secret. */
function argumentsFor(openapi: string, flags: CompileFlags): string {
  const given = [
    ...[withoutCredentials(openapi), '--output', flags.output],
    ...(flags.operations ?? []).flatMap((list) => ['--operations', list]),
    ...(flags.basePath === undefined ? [] : ['--base-path', flags.basePath]),
    ...(flags.header ?? []).flatMap(() => ['--header', '…']),
    ...(flags.overlay ?? []).flatMap((file) => ['--overlay', withoutCredentials(file)]),
    ...(flags.allowRemoteRefs ? ['--allow-remote-refs'] : []),
    ...(flags.allowOutsideRefs ? ['--allow-outside-refs'] : []),
    ...(flags.strict ? ['--strict'] : []),
  ]
  return given.map(shellWord).join(' ')
}

async function refuseForeign(file: string): Promise<void> {
  const before = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw cannotWrite(file, error)
  })
  if (before === undefined || before.startsWith(`// ${MARK}`)) return
  throw new UsageError({
    code: 'file_exists',
    task: `write ${file}`,
    reason: 'the file exists already, and this command did not write it',
    help: 'Use --force to overwrite it, or --output for another name.',
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
