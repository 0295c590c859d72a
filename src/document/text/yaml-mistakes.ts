import type { Alias, Document, YAMLError } from 'yaml'
import { visit } from 'yaml'
import type { Mistake } from '../mistake.ts'
import { tooDeep } from './nesting-depth.ts'

/** Turns an offset in the text into `file:line:column`. */
type LocationAt = (offset: number) => string

type Explanation = readonly [reason: string, help: string]

/** Explains the errors of the `yaml` package by their codes. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  TAB_AS_INDENT: ['a tab is used for indentation', 'Indent with spaces.'],
  BAD_INDENT: ['the indentation is inconsistent', 'Align the line with its neighbours.'],
  BLOCK_AS_IMPLICIT_KEY: ['the value contains a second ": "', 'Put the value in quotes.'],
  MULTILINE_IMPLICIT_KEY: ['the line has no ": "', 'Add it, or put the text above in quotes.'],
  BAD_SCALAR_START: ['the value starts with a reserved character', 'Put the value in quotes.'],
  MULTIPLE_DOCS: ['a second YAML document starts here', 'Keep one document per file.'],
  MISSING_CHAR: ['a quote, bracket or comma is missing', 'Add the missing character.'],
}

const INVALID_JSON: Explanation = [
  'the JSON is invalid from here on',
  'Check for a missing comma, quote or bracket.',
]

/** The first syntax error, because later ones are mostly its consequences; otherwise every duplicate key. */
export function syntaxMistakes(
  document: Document.Parsed,
  text: string,
  isJson: boolean,
  locationAt: LocationAt,
): Mistake[] {
  const { errors } = document
  const first = errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  if (first) {
    const location = locationAt(first.pos[0])
    // The parser ran out of stack, far below the depth limit.
    if (first.code === 'RESOURCE_EXHAUSTION') return [tooDeep(location)]
    const unclosed = findUnclosed(document, text, first.pos[0])
    if (unclosed) {
      const canIndent = first.code === 'BAD_INDENT' && !isJson && first.pos[0] < text.length
      return [unclosedMistake(unclosed, location, canIndent, locationAt)]
    }
    const [reason, help] = isJson ? INVALID_JSON : (EXPLANATIONS[first.code] ?? explain(first))
    return [{ reason, location, help }]
  }

  return errors.map(({ pos }) => ({
    reason: `the key ${keyAt(text, pos[0])} is duplicated`,
    location: locationAt(pos[0]),
    help: 'Remove one of the two keys.',
  }))
}

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']', '"': '"', "'": "'" }

/** A bracket or quote that is not closed. */
interface Unclosed {
  readonly start: number
  readonly opening: string
  readonly closing: string
}

/** Finds the innermost bracket or quote that is still open at the offset of an error. */
function findUnclosed(document: Document.Parsed, text: string, end: number): Unclosed | undefined {
  const candidates: Unclosed[] = []
  visit(document, {
    Node: (_key, { range }) => {
      if (range?.[1] !== end) return
      const [start] = range
      const opening = text.charAt(start)
      const closing = CLOSING[opening]
      if (closing !== undefined) candidates.push({ start, opening, closing })
    },
  })
  // A closing character before the error belongs to the innermost candidate.
  const innermost = candidates.at(-1)
  const isClosed = innermost?.start !== end - 1 && innermost?.closing === text.charAt(end - 1)

  return isClosed ? candidates.at(-2) : innermost
}

function unclosedMistake(
  { start, opening, closing }: Unclosed,
  place: string,
  canIndent: boolean,
  locationAt: LocationAt,
): Mistake {
  const isQuote = opening === closing
  const indent = canIndent ? ', or indent the lines that belong to it' : ''
  return {
    reason: `the ${isQuote ? 'quote' : 'bracket'} ${opening} is not closed`,
    location: locationAt(start),
    help: isQuote
      ? `Add ${closing} at the end of the text.`
      : `Add ${closing} before ${place}${indent}.`,
  }
}

function explain({ message }: YAMLError): Explanation {
  const reason = `${message.charAt(0).toLowerCase()}${message.slice(1)}`
  return [`the YAML is invalid: ${reason}`, 'Correct the line.']
}

function keyAt(text: string, offset: number): string {
  const [key = ''] = /^("[^"\n]*"|'[^'\n]*'|[^:\n]*)/.exec(text.slice(offset, offset + 80)) ?? []

  return key.replace(/^(["'])(.*)\1$/, '$2').replace(/^.*$/, '"$&"')
}

/** Finds aliases without an anchor, and aliases inside the value that they stand for. */
export function aliasMistakes(
  document: Document.Parsed,
  cycleHelp: string,
  locationAt: LocationAt,
): Mistake[] {
  const anchors = new Map<string, unknown>()
  const mistakes: Mistake[] = []

  visit(document, {
    Node: (_key, node) => {
      if ('anchor' in node && node.anchor) anchors.set(node.anchor, node)
    },
    Alias: (_key, alias: Alias, ancestors) => {
      const target = anchors.get(alias.source)
      const location = locationAt(alias.range?.[0] ?? 0)
      if (!target) {
        const help = `Define the anchor &${alias.source} on a value above it.`
        mistakes.push({ reason: `the alias *${alias.source} has no anchor`, location, help })
      }
      if (ancestors.some((ancestor) => ancestor === target)) {
        const reason = `the alias *${alias.source} is inside its own anchor`
        mistakes.push({ reason, location, help: cycleHelp })
      }
    },
  })

  return mistakes
}
