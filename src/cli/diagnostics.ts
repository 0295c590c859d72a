import type { Diagnostic } from '../document/diagnostic.ts'
import type { Diagnostics } from '../document/diagnostics.ts'
import type { LoadedDocument } from '../document/load-document.ts'
import { shellQuoted } from '../requests/curl.ts'
import { resourcesIn } from '../resources/bind.ts'
import { collectionName, findCollection } from '../resources/collection-name.ts'
import type { Resource } from '../resources/resource.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { count, describeSuggestion } from '../validation/usage-error.ts'
import type { ServeSettings } from './settings.ts'
import { type Paint, printable, shellWord } from './terminal.ts'

/** The settings that say how a document is read. */
type DocumentSettings = Pick<ServeSettings, 'headers' | 'overlay' | 'remoteRefs' | 'outsideRefs'>

/**
 * The command that lists the mistakes of a document. `file` is the name of the document without credentials. The values of
 * headers are not in the command, because they may be secret.
 */
export function diagnosticsCommand(
  file: string,
  { headers = {}, overlay = [], remoteRefs = false, outsideRefs = false }: DocumentSettings,
): string {
  return [
    'pet-sandbox explain',
    // A name that begins with a dash would be read as an option.
    shellWord(/^-./.test(file) ? `./${file}` : file),
    ...Object.keys(headers).map((name) => `-H ${shellQuoted(`${name}: …`)}`),
    ...overlay.map((file) => `--overlay ${shellWord(file)}`),
    ...(remoteRefs ? ['--allow-remote-refs'] : []),
    ...(outsideRefs ? ['--allow-outside-refs'] : []),
    '--diagnostics',
  ].join(' ')
}

/** The mistakes of a served document that are known until now. */
export interface KnownMistakes {
  readonly count: number
  /** The command that lists all mistakes. */
  readonly command: string
}

/** The known mistakes of a document; `undefined` when there are none. */
export function knownMistakes(
  { name, diagnostics: { count } }: LoadedDocument,
  settings: DocumentSettings,
): KnownMistakes | undefined {
  return count === 0 ? undefined : { count, command: diagnosticsCommand(name, settings) }
}

/**
 * `12 mistakes in the document so far. List all: pet-sandbox explain books.yaml --diagnostics`. A start reads only a part of a document, and
 * checks no examples.
 */
export function describeMistakes({ count: number, command }: KnownMistakes): string {
  return `${count(number, 'mistake')} in the document so far. List all: ${command}`
}

/** How long the generation of first records may take, in milliseconds. */
const TIME_LIMIT = 5000

/**
 * All mistakes of a document, and the collections whose first records cannot be generated. Generates the records of each collection
 * once, as a sandbox does when they are first needed.
 */
export async function checkWithRecords(document: LoadedDocument): Promise<readonly Diagnostic[]> {
  const { contract, name, diagnostics } = document
  await document.check()
  const sandbox = createSandbox({ contract })
  const end = Date.now() + TIME_LIMIT
  const resources = resourcesIn(contract)
  for (const resource of resources) {
    if (Date.now() > end) return [...diagnostics.list(), unchecked(name)]
    const collection = someCollection(resource)
    // Of two parameters in one segment, such as /items(a={a},b={b}), it is not known where one ends.
    if (findCollection(resources, collection)) await sandbox.collection(collection).count()
  }

  return diagnostics.list()
}

/** The collection of a resource; of one with parents, that below the parents with the id 1. */
function someCollection(resource: Resource): string {
  const parameters = (resource.parents ?? []).map((name) => [name, '1'] as const)
  const name = collectionName(resource, Object.fromEntries(parameters))

  return parameters.length > 0 ? `/${name}` : name
}

function unchecked(location: string): Diagnostic {
  return {
    reason: 'the first records of some collections were not checked, because there are too many',
    location,
    assumed: 'they can be generated',
    help: 'Check a smaller document.',
    isUnchecked: true,
  }
}

/** How many kinds of mistakes a list shows, and how many places of each. */
const MAX_KINDS = 100
const MAX_PLACES = 5

/** Equal mistakes at several places. */
interface MistakeKind extends Diagnostic {
  readonly places: readonly string[]
}

/** All mistakes of a document for people, and what was not checked, which is no mistake. */
export function diagnosticsText(diagnostics: readonly Diagnostic[], paint: Paint): string {
  const mistakes = diagnostics.filter(({ isUnchecked }) => !isUnchecked)
  const notes = groupByKind(diagnostics.filter(({ isUnchecked }) => isUnchecked))
  const noteLines = notes.flatMap((kind) => ['', ...linesOf(kind, paint)])

  return mistakesText(mistakes, paint) + noteLines.map((line) => `${line}\n`).join('')
}

/** Equal mistakes are one entry with all its places. */
function mistakesText(diagnostics: readonly Diagnostic[], paint: Paint): string {
  if (diagnostics.length === 0) return 'No mistakes were found in the document.\n'
  const kinds = groupByKind(diagnostics)
  const hidden = kinds.slice(MAX_KINDS).reduce((sum, { places }) => sum + places.length, 0)
  const lines = [
    `${count(diagnostics.length, 'mistake')} in the document:`,
    ...kinds.slice(0, MAX_KINDS).flatMap((kind) => ['', ...linesOf(kind, paint)]),
    ...(hidden > 0 ? ['', `${count(hidden, 'more mistake')}. List all with --json.`] : []),
  ]
  return `${lines.join('\n')}\n`
}

function groupByKind(diagnostics: readonly Diagnostic[]): readonly MistakeKind[] {
  const kinds = new Map<string, MistakeKind & { readonly places: string[] }>()
  for (const diagnostic of diagnostics) {
    const { location, ...kind } = diagnostic
    const key = JSON.stringify(kind)
    const known = kinds.get(key)
    if (known) known.places.push(location)
    else kinds.set(key, { ...diagnostic, places: [location] })
  }
  return [...kinds.values()]
}

function linesOf(kind: MistakeKind, paint: Paint): readonly string[] {
  const { places } = kind
  const [first = '', ...others] = places.map(printable)
  const times = places.length > 1 ? ` (at ${places.length} places)` : ''
  const shown = others.slice(0, MAX_PLACES - 1)
  const rest = others.length - shown.length

  return [
    `${paint('cyan', first)}  ${printable(kind.reason)}${paint('dim', times)}`,
    ...explanationsOf(kind).map((text) => `    ${printable(text)}`),
    ...shown.map((place) => `    ${paint('dim', 'also at')} ${place}`),
    ...(rest > 0 ? [`    ${paint('dim', `and at ${count(rest, 'more place')}`)}`] : []),
  ]
}

/** What is assumed instead of a mistake, and what to do. */
function explanationsOf({ assumed, help, ...suggestion }: Diagnostic): readonly string[] {
  const advice = help ?? describeSuggestion(suggestion)
  return [
    ...(assumed === undefined ? [] : [`Assumed instead: ${assumed}.`]),
    ...(advice === '' ? [] : [advice]),
  ]
}

/** One mistake in one line. */
export function diagnosticLine(diagnostic: Diagnostic): string {
  const { location, reason } = diagnostic
  return printable([`${location}: ${reason}.`, ...explanationsOf(diagnostic)].join(' '))
}

/** How many mistakes of a document are logged while it is served. */
const MAX_LOGGED = 20

/** How long mistakes are collected, in milliseconds: locating them reads the whole document again. */
const BATCH_MS = 1000

/** Logs each mistake that is found from now on. After twenty, `command` is named, which lists the others. */
export function logNewMistakes(
  diagnostics: Diagnostics,
  command: string,
  log: (mistake: Diagnostic) => void,
): void {
  let next = diagnostics.count
  const last = next + MAX_LOGGED
  let timer: NodeJS.Timeout | undefined
  const logBatch = (): void => {
    timer = undefined
    const end = Math.min(diagnostics.count, last)
    for (const mistake of diagnostics.list(next, end)) log(mistake)
    next = end
    if (diagnostics.count > last) {
      next = Number.POSITIVE_INFINITY
      log({
        reason: 'further mistakes of the document are not logged',
        location: 'the document',
        help: `List them: ${command}`,
      })
    }
  }
  diagnostics.onFound(() => {
    if (timer === undefined && next < Number.POSITIVE_INFINITY)
      timer = setTimeout(logBatch, BATCH_MS).unref()
  })
}
