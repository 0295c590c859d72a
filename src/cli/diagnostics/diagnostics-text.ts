import type { Diagnostic } from '../../document/diagnostic.ts'
import { count, describeSuggestion } from '../../validation/usage-error.ts'
import { type Paint, printable } from '../terminal.ts'

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
