import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE } from 'js-yaml'
import { visit } from 'jsonc-parser'
import { setOwn } from '../validation/objects.ts'
import { MAX_DEPTH } from './explain-yaml.ts'
import type { Pointer } from './json-value.ts'
import type { Mistake } from './mistake.ts'
import type { Source, Wanted } from './source.ts'

/** A value on the way to one that is wanted, with the offsets where it and its key start. */
interface Node {
  readonly children: Record<string, Node>
  key?: number
  value?: number
}

/**
 * The offsets in a JSON or YAML text at which these values start; of the nearest ancestor when a value does not exist. Reads
 * the text once, and only here: parsing with all positions takes ten times the memory of the values.
 */
export function findOffsets(text: string, wanted: readonly Wanted[]): readonly number[] {
  const root: Node = { children: {} }
  for (const { pointer } of wanted) addPath(root, pointer)
  readText(text, new Walk(root))

  return wanted.map((one) => offsetOf(root, one))
}

function addPath(root: Node, pointer: Pointer): void {
  let node = root
  for (const key of pointer) {
    const child = Object.hasOwn(node.children, key) ? node.children[key] : undefined
    const next: Node = child ?? { children: {} }
    setOwn(node.children, key, next)
    node = next
  }
}

function offsetOf(root: Node, { pointer, part = 'value' }: Wanted): number {
  let node = root
  let offset = root.value ?? 0
  for (const [index, key] of pointer.entries()) {
    const child = Object.hasOwn(node.children, key) ? node.children[key] : undefined
    if (child?.value === undefined && child?.key === undefined) break
    const wantsKey = part === 'key' && index === pointer.length - 1
    offset = (wantsKey ? child.key : child.value) ?? child.key ?? child.value ?? offset
    node = child
  }
  return offset
}

/** The open objects and arrays while a text is read from start to end. */
class Walk implements TextListener {
  readonly #root: Node
  readonly #open: { readonly node: Node | undefined; readonly isArray: boolean; next: string }[] =
    []

  constructor(root: Node) {
    this.#root = root
  }

  key(name: string, offset: number): void {
    const top = this.#open.at(-1)
    if (!top) return
    top.next = name
    const node = childOf(top.node, name)
    if (node) node.key = offset
  }

  value(offset: number): void {
    this.#enter(offset)
  }

  open(offset: number, isArray: boolean): void {
    this.#open.push({ node: this.#enter(offset), isArray, next: isArray ? '0' : '' })
  }

  close(): void {
    this.#open.pop()
  }

  /** Returns the node of the value, if it is on the way to a wanted one. */
  #enter(offset: number): Node | undefined {
    const top = this.#open.at(-1)
    const node = top ? childOf(top.node, top.next) : this.#root
    if (node && node.value === undefined) node.value = offset
    if (top?.isArray) top.next = String(Number(top.next) + 1)

    return node
  }
}

function childOf(node: Node | undefined, key: string): Node | undefined {
  return node && Object.hasOwn(node.children, key) ? node.children[key] : undefined
}

/** Gets the parts of a text in their order, each with the offset at which it starts. */
interface TextListener {
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
function readText(text: string, listener: TextListener): void {
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

/** The offsets at which the lines of a text start. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    starts.push(end + 1)
  }
  return starts
}

/** `11:30`, both counted from 1, for an offset in a text. */
export function lineAndColumn(starts: readonly number[], offset: number): string {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return `${low + 1}:${offset - (starts[low] ?? 0) + 1}`
}

/** Finds keys that an object has twice. Parsing keeps only the value of the last one. Reads the whole text again. */
export function findDuplicateKeys(source: Source): readonly Mistake[] {
  const { name } = source
  const text = source.readText()
  const mistakes: Mistake[] = []
  const open: Set<string>[] = []
  const lines = lineStarts(text)

  readText(text, {
    open: () => {
      open.push(new Set())
    },
    close: () => {
      open.pop()
    },
    value: () => undefined,
    key: (key, offset) => {
      const keys = open.at(-1)
      // Several `<<` merge several mappings.
      if (keys?.has(key) && key !== '<<') {
        mistakes.push({
          reason: `the key "${key}" is duplicated`,
          location: `${name}:${lineAndColumn(lines, offset)}`,
          assumed: 'the last one counts',
          help: 'Remove one of the two keys.',
        })
      }
      keys?.add(key)
    },
  })

  return mistakes
}
