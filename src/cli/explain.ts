import { Command } from 'commander'
import { type ExplainedOperation, explainOperations } from '../resources/explain-operations.ts'
import { checkWithRecords, diagnosticsText } from './diagnostics.ts'
import { openDocument } from './open-document.ts'
import {
  addDocumentOptions,
  DOCUMENT_ARGUMENT,
  type DocumentFlags,
  loadOptions,
} from './setting-options.ts'
import { painter, printableLines, tableWithHeader, toJsonLine } from './terminal.ts'

interface ExplainFlags extends DocumentFlags {
  readonly diagnostics?: boolean
  readonly hints?: boolean
  readonly json?: boolean
}

/** `pet-sandbox explain`: prints the behaviour of each operation, and the reason for it. */
export function explainCommand(): Command {
  const command = new Command('explain')
    .description('show the behaviour of each operation, and the reason for it')
    .argument('[openapi]', DOCUMENT_ARGUMENT)

  command
    .option('--diagnostics', 'list the mistakes of the document; with --strict, they are a failure')
    .option('--hints', 'print what was inferred as hints: an overlay to correct and apply')
    .option('--json', 'print the result as JSON')

  return addDocumentOptions(command.optionsGroup('Document:'))
    .addHelpText('after', NOTES)
    .action((openapi: string | undefined, options: ExplainFlags) => explain(openapi, options))
}

function explain(openapi: string | undefined, options: ExplainFlags): Promise<void> {
  if (options.diagnostics) return listMistakes(openapi, options)
  return options.hints ? printHints(openapi, options) : listBehaviours(openapi, options)
}

const NOTES = `
Examples:
  pet-sandbox explain
  pet-sandbox explain books.yaml
  pet-sandbox explain books.yaml --diagnostics             every mistake of the document
  pet-sandbox explain https://example.com/openapi.json     the API of a URL
  pet-sandbox explain vendor.yaml --hints >hints.yaml      what was inferred, to be corrected
  pet-sandbox explain vendor.yaml --overlay hints.yaml     with the changes of an overlay

Exit codes:
  0  success
  1  with --diagnostics --strict: the document has mistakes
  2  wrong usage, or a document that cannot be read`

/** Prints all mistakes. `--strict` would refuse the document at the first kind of mistakes. */
async function listMistakes(openapi: string | undefined, options: ExplainFlags): Promise<void> {
  const { strict = false, json = false } = options
  const document = await openDocument(openapi, { ...loadOptions(options), strict: false })
  const mistakes = openapi === undefined ? [] : await checkWithRecords(document)
  process.stdout.write(json ? `${toJsonLine(mistakes)}\n` : diagnosticsText(mistakes, painter()))
  if (strict && mistakes.some(({ isUnchecked }) => !isUnchecked)) process.exitCode = 1
}

async function printHints(openapi: string | undefined, options: ExplainFlags): Promise<void> {
  const { hints } = await openDocument(openapi, loadOptions(options))
  process.stdout.write(printableLines(hints()))
}

async function listBehaviours(openapi: string | undefined, options: ExplainFlags): Promise<void> {
  const { contract } = await openDocument(openapi, loadOptions(options))
  const explained = explainOperations(contract)
  if (options.json) {
    process.stdout.write(`${toJsonLine(explained)}\n`)
    return
  }
  const lines = behaviourLines(explained)
  process.stdout.write(`${lines.join('\n')}\n`)
}

const HEADER = ['OPERATION', 'REQUEST', 'BEHAVIOUR', 'RESOURCE', 'REASON']

/** The lines of a table of operations, as `explain` and `ctl operations` print them. */
export function behaviourLines(explained: readonly ExplainedOperation[]): readonly string[] {
  return tableWithHeader([HEADER, ...explained.map(toRow)])
}

function toRow(explained: ExplainedOperation): readonly string[] {
  const { operation, method, path, behaviour, resource = '-', reason, deprecated } = explained
  const note = deprecated ? '; deprecated' : ''
  return [operation, `${method} ${path}`, behaviour, resource, reason + note]
}
