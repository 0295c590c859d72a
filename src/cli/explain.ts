import { Command } from 'commander'
import type { Contract } from '../contract/contract.ts'
import type { LoadedDocument } from '../document/load-document.ts'
import { unexplainedEvents } from '../events/known-events.ts'
import {
  type Doubt,
  doubtsOf,
  hasPlace,
  hintText,
  isSettled,
  type Judgement,
  judge,
} from '../resources/behaviour/doubts.ts'
import {
  type ExplainedOperation,
  explain as explainBinding,
  explainCases,
} from '../resources/behaviour/explain-operations.ts'
import { bind } from '../resources/bind.ts'
import { getOwn, groupBy, isObject } from '../validation/objects.ts'
import { checkWithRecords, diagnosticsText } from './diagnostics.ts'
import { openDocument } from './open-document.ts'
import {
  addDocumentOptions,
  DOCUMENT_ARGUMENT,
  type DocumentFlags,
  loadOptions,
} from './setting-options.ts'
import { painter, printable, printableLines, tableWithHeader, toJsonLine } from './terminal.ts'

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
  const { contract, document } = await openDocument(openapi, loadOptions(options))
  const root = await document()
  const explained = bind(contract).flatMap((binding): readonly DoubtedOperation[] => [
    { ...explainBinding(binding), ...judge(binding, contract, root) },
    ...explainCases(contract, binding.operation).map(({ when, ...one }) => ({
      ...one,
      path: `${one.path} when ${when}`,
      certainty: 'sure' as const,
    })),
  ])
  const text = options.json
    ? toJsonLine(explained)
    : [...certaintyLines(explained), ...doubtLines(explained), ...eventLines(contract)].join('\n')
  process.stdout.write(`${text}\n`)
}

/** An operation, how sure its binding is, and what speaks against it. */
interface DoubtedOperation extends ExplainedOperation, Judgement {}

/**
 * The hints that settle the warnings about a document, as an OpenAPI Overlay in YAML; `undefined` without warnings. What is a comment
 * above an action is the warning.
 */
export async function warningsOverlay({
  contract,
  document,
}: Pick<LoadedDocument, 'contract' | 'document'>): Promise<string | undefined> {
  // It loads the YAML parser.
  const { targetOf } = await import('../document/hints/hints-overlay.ts')
  const root = await document()
  const paths = isObject(root.paths) ? root.paths : {}
  const places = new Map<string, { readonly doubts: Doubt[]; readonly target: string }>()
  for (const binding of bind(contract)) {
    for (const doubt of doubtsOf(binding, contract, root)) {
      const { path, method } = doubt
      const target = hasPlace(doubt, root) ? targetOf(path, getOwn(paths, path)) : '$'
      const isHinted = Object.keys(doubt.hints).length > 0
      if (target === undefined || !isHinted || isSettled(doubt, root)) continue
      const key = JSON.stringify([path, method])
      const place = places.get(key) ?? { doubts: [], target }
      places.set(key, place)
      place.doubts.push(doubt)
    }
  }
  if (places.size === 0) return undefined
  const { title, version } = contract
  const lines = [...places.values()].flatMap(({ doubts, target }) => {
    const [{ path = '', method } = {}] = doubts
    const hints = Object.assign({}, ...doubts.map((one) => one.hints))
    const text = hintText(target === '$' ? { resources: { [path]: hints } } : hints)
    const reasons = new Set(doubts.map(({ reason }) => printable(reason)))
    return [
      ...[...reasons].map((reason) => `  # ${reason}.`),
      `  - target: ${JSON.stringify(target)}`,
      `    update: { ${method === undefined ? text : `${method.toLowerCase()}: { ${text} }`} }`,
    ]
  })

  return [
    'overlay: 1.0.0',
    `info: { title: ${JSON.stringify(`Hints for ${title}`)}, version: ${JSON.stringify(version)} }`,
    'actions:',
    ...lines,
    '',
  ].join('\n')
}

/** What speaks against a binding. */
interface Warning {
  readonly operation: string
  readonly reason: string
  readonly place: string
  readonly hint: string
}

/** What speaks against the bindings, each with the hint that settles it. Doubts about a path are listed once. */
function doubtLines(explained: readonly DoubtedOperation[]): readonly string[] {
  const lines = explained.flatMap(({ operation, doubts = [] }) =>
    doubts.map(({ reason, place, hint }) => ({ operation, reason, place, hint })),
  )
  const distinct = lines.filter(
    ({ reason, place }, at) =>
      lines.findIndex((one) => one.reason === reason && one.place === place) === at,
  )
  if (distinct.length === 0) return []
  const groups = groupBy(distinct, ({ reason, hint }) => JSON.stringify([reason, hint]))
  const texts = [...groups.values()].flatMap((group) => groupLines(group))

  return [
    '',
    `${distinct.length} ${distinct.length === 1 ? 'warning' : 'warnings'}:`,
    ...texts.map(printable),
  ]
}

/** The lines of equal warnings about several operations. */
function groupLines([first, ...others]: readonly Warning[]): readonly string[] {
  if (!first) return []
  const { operation, reason, place, hint } = first
  const names = others.slice(0, MAX_NAMES).map((one) => one.operation)
  const more = others.length - names.length

  return [
    `  ${operation}: ${reason}.`,
    hint === ''
      ? '      To settle it, correct the schema.'
      : `      To settle it, add to ${place}: ${hint}`,
    ...(names.length > 0
      ? [`      The same for ${names.join(', ')}${more > 0 ? `, and ${more} more` : ''}.`]
      : []),
  ]
}

/** So many names are listed. */
const MAX_NAMES = 10

/** The events of the document that no request causes. */
function eventLines(contract: Contract): readonly string[] {
  const names = unexplainedEvents(contract)
  if (names.length === 0) return []
  const shown = names.slice(0, MAX_NAMES).join(', ')
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : ''
  return [
    '',
    `${names.length === 1 ? '1 event' : `${names.length} events`} of no collection: ${printable(shown)}${more}.`,
    '  No request causes them. Send one with: pet-sandbox ctl emit NAME',
  ]
}

function certaintyLines(explained: readonly DoubtedOperation[]): readonly string[] {
  const [header, ...rows] = [HEADER, ...explained.map(toRow)]
  const certainties = ['CERTAINTY', ...explained.map(({ certainty }) => certainty)]

  return tableWithHeader(
    [header ?? [], ...rows].map((row, at) => row.toSpliced(3, 0, certainties[at] ?? '')),
  )
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
