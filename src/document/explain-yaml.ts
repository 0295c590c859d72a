import {
  type Alias,
  Composer,
  type CST,
  type Document,
  Lexer,
  type LineCounter,
  Parser,
  visit,
  type YAMLError,
  YAMLParseError,
} from 'yaml'
import type { Pointer } from './json-value.ts'
import type { Mistake } from './mistake.ts'

/** The greatest depth of objects and lists in a file. The parsers run out of stack at about twice this depth. */
export const MAX_DEPTH = 400

/** The mistake of a file that is nested too deeply. */
export function tooDeep(location: string): Mistake {
  const reason = `the file is nested more than ${MAX_DEPTH} levels deep`
  return { reason, location, help: 'Flatten the structure.' }
}

/** The pointer to the first value below the depth limit; `undefined` when there is none. A YAML alias is walked each time. */
export function findTooDeep(value: unknown, depth = 0): Pointer | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= MAX_DEPTH) return []
  for (const key of Object.keys(value)) {
    const pointer = findTooDeep(value[key as keyof typeof value], depth + 1)
    if (pointer) return [key, ...pointer]
  }
  return undefined
}

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

/** The stack of the YAML parser holds the document, the open maps and lists, and a scalar. */
const MAX_STACK = MAX_DEPTH + 2

/** Thrown at the offset from which a text is nested too deeply. */
export class NestingTooDeepError extends Error {
  override readonly name = 'NestingTooDeep'
  readonly offset: number

  constructor(offset: number) {
    super(`The text is nested too deeply at ${offset}`)
    this.offset = offset
  }
}

/**
 * Like `parseDocument` of `yaml`, but throws `NestingTooDeepError` as soon as the text is nested too deeply. `parseDocument` reads
 * such a text to its end before it fails.
 */
export function parseYaml(text: string, lines: LineCounter): Document.Parsed {
  const composer = new Composer({ lineCounter: lines, merge: true, prettyErrors: false })
  const [first, second] = composer.compose(tokensOf(text, lines), true, text.length)
  if (!first) throw new TypeError('The composer made no document')
  if (second) {
    const [start, end] = second.range
    first.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', 'Several documents'))
  }
  return first as Document.Parsed
}

function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > MAX_STACK) throw new NestingTooDeepError(parser.offset)
  }
  yield* parser.end()
}
