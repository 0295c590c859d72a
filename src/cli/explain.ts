import { Command } from 'commander'
import { contract as shippedContract } from '../generated/contract.ts'
import { type Binding, bind } from '../resources/bind.ts'
import { describeBinding } from '../resources/describe-binding.ts'
import { diagnosticsText } from './diagnostics/diagnostics-text.ts'
import {
  addDocumentOptions,
  type DocumentFlags,
  documentArgument,
  loadOptions,
} from './document-options.ts'
import { openDocument } from './open-contract.ts'
import { table } from './table.ts'
import { painter, printable, toJsonLine } from './terminal.ts'

interface ExplainFlags extends DocumentFlags {
  readonly diagnostics?: boolean
  readonly json?: boolean
}

/** `pet-sandbox explain`: prints the behaviour of each operation, and the reason for it. */
export function explainCommand(): Command {
  const command = new Command('explain')
    .description('show the behaviour of each operation, and the reason for it')
    .argument('[openapi]', documentArgument(shippedContract.title))

  command
    .option('--diagnostics', 'list the mistakes of the document; with --strict, they are a failure')
    .option('--json', 'print the result as JSON')

  return addDocumentOptions(command.optionsGroup('Document:'))
    .addHelpText('after', NOTES)
    .action((openapi: string | undefined, options: ExplainFlags) =>
      options.diagnostics ? listMistakes(openapi, options) : listBehaviours(openapi, options),
    )
}

const NOTES = `
Examples:
  pet-sandbox explain
  pet-sandbox explain books.yaml
  pet-sandbox explain books.yaml --diagnostics             every mistake of the document
  pet-sandbox explain https://example.com/openapi.json     the API of a URL
  pet-sandbox explain vendor.yaml --overlay hints.yaml     with the changes of an overlay

Exit codes:
  0  success
  1  with --diagnostics --strict: the document has mistakes
  2  wrong usage, or a document that cannot be read`

/** Prints all mistakes. `--strict` would refuse the document at the first kind of mistakes. */
async function listMistakes(openapi: string | undefined, options: ExplainFlags): Promise<void> {
  const { strict = false, json = false } = options
  const document = await openDocument(openapi, { ...loadOptions(options), strict: false })
  // Creates a sandbox, which the list of behaviours does not need.
  const { checkWithRecords } = await import('./diagnostics/check-records.ts')
  const mistakes = openapi === undefined ? [] : await checkWithRecords(document)
  const paint = painter(process.stdout, process.env)
  process.stdout.write(json ? `${toJsonLine(mistakes)}\n` : diagnosticsText(mistakes, paint))
  if (strict && mistakes.some(({ isUnchecked }) => !isUnchecked)) process.exitCode = 1
}

async function listBehaviours(openapi: string | undefined, options: ExplainFlags): Promise<void> {
  const { contract } = await openDocument(openapi, loadOptions(options))
  const explained = bind(contract).map((binding) => ({
    ...binding,
    reason: describeBinding(binding, contract),
  }))
  if (options.json) {
    process.stdout.write(`${toJsonLine(explained.map(toJson))}\n`)
    return
  }
  const [header = '', ...lines] = table([HEADER, ...explained.map(toRow)]).map(printable)
  const paint = painter(process.stdout, process.env)
  process.stdout.write(`${[paint('bold', header), ...lines].join('\n')}\n`)
}

const HEADER = ['OPERATION', 'REQUEST', 'BEHAVIOUR', 'REASON']

/** A binding with its reason. */
type Explained = Pick<Binding, 'operation' | 'action'> & { readonly reason: string }

function toRow({ operation, action, reason }: Explained): readonly string[] {
  const request = `${operation.method} ${operation.path}`
  return [operation.id, request, action, operation.deprecation ? `${reason}; deprecated` : reason]
}

function toJson({ operation, action, reason }: Explained): object {
  const { id, method, path, deprecation } = operation
  return { operation: id, method, path, behaviour: action, reason, deprecated: !!deprecation }
}
