import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE } from 'js-yaml'
import { visit } from 'jsonc-parser'
import { MAX_DEPTH } from './nesting-depth.ts'

/** Gets the parts of a text in their order, each with the offset at which it starts. */
export interface TextListener {
  /** An object or an array starts. */
  open(offset: number, isArray: boolean): void
  /** The latest object or array that is open ends. */
  close(): void
  /** The key of the next value. */
  key(name: string, offset: number): void
  /** A value that is neither an object nor an array, or an alias. */
  value(offset: number): void
}

/** Reads a JSON or YAML text, without making values of it. A text with a syntax error is read up to the error. */
export function readText(text: string, listener: TextListener): void {
  try {
    if (isJsonText(text)) visitJson(text, listener)
    else visitYaml(text, listener)
  } catch {
    // Whoever parsed the text has reported the error.
  }
}

/** Whether a text starts as JSON does. YAML in flow style does, too. */
export function isJsonText(text: string): boolean {
  return /^\uFEFF?\s*[{[]/.test(text)
}

function visitJson(text: string, listener: TextListener): void {
  visit(text, {
    onObjectBegin: (offset) => listener.open(offset, false),
    onObjectProperty: (name, offset) => listener.key(name, offset),
    onObjectEnd: () => listener.close(),
    onArrayBegin: (offset) => listener.open(offset, true),
    onArrayEnd: () => listener.close(),
    onLiteralValue: (_value, offset) => listener.value(offset),
  })
}

function visitYaml(text: string, listener: TextListener): void {
  /** For each open collection, whether it is a mapping whose next node is a key; `undefined` for a sequence. */
  const keys: (boolean | undefined)[] = []
  for (const event of parseEvents(text, { maxDepth: 2 * MAX_DEPTH })) {
    if (event.type === EVENT_ID.DOCUMENT) continue
    if (event.type === EVENT_ID.POP) {
      keys.pop()
      listener.close()
      continue
    }
    const isKey = takeTurn(keys)
    const offset = startOf(text, event)
    if (isKey) listener.key(keyOf(text, event), offset)
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      const isArray = event.type === EVENT_ID.SEQUENCE
      listener.open(offset, isArray)
      keys.push(isArray ? undefined : true)
    } else if (!isKey) listener.value(offset)
  }
}

/** Whether the next node is a key. In a mapping, keys and values take turns. */
function takeTurn(keys: (boolean | undefined)[]): boolean {
  const isKey = keys.at(-1)
  if (isKey !== undefined) keys[keys.length - 1] = !isKey

  return isKey === true
}

function keyOf(text: string, event: Event): string {
  return event.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : ''
}

/** A quoted scalar starts with its quote, a block scalar with its `|` or `>`. */
function startOf(text: string, event: Event): number {
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart - 1
  if (event.type !== EVENT_ID.SCALAR) return 'start' in event ? event.start : 0
  const { style, valueStart } = event
  if (style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK) {
    return headerOf(text, valueStart)
  }
  const isQuoted = style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED

  return isQuoted ? valueStart - 1 : valueStart
}

/** The offset of the `|` or `>` in the line before a block scalar. */
function headerOf(text: string, valueStart: number): number {
  const lineStart = text.lastIndexOf('\n', valueStart - 2) + 1
  const line = text.slice(lineStart, valueStart)

  return lineStart + Math.max(line.search(/[|>][-+\d]*\s*(?:\s#.*)?$/), 0)
}
