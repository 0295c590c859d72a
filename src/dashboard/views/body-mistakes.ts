import type { TextMistake } from '../parts/text-editor.tsx'

/** What the sandbox says is wrong with a part of a request. */
interface InputError {
  /** Such as `body.tags[0]`. */
  readonly location: string
  readonly message: string
}

/** A value in a JSON text, and the values in it by the steps that lead to them, such as `.name` and `[0]`. */
interface JsonNode {
  readonly from: number
  to: number
  readonly inner: Map<string, JsonNode>
}

/** The mistakes of a JSON text: that of its syntax, else those of its values, each at its place. */
export function mistakesIn(text: string, errors: readonly InputError[]): readonly TextMistake[] {
  const scanner = new JsonScanner(text)
  const root = scanner.read()
  if (!root) {
    const { at, expected } = scanner
    return [{ message: `This is not JSON: ${expected} is expected here.`, from: at, to: at + 1 }]
  }
  return errors
    .filter(({ location }) => isInBody(location))
    .map(({ location, message }) => {
      const { from, to, inner } = nodeAt(root, location.slice('body'.length))
      // Of an object or a list, only the beginning is marked.
      return { message: `${location} ${message}`, from, to: inner.size > 0 ? from + 1 : to }
    })
    .toSorted((one, other) => one.from - other.from)
}

/** Whether a location is the body or a part of it. */
export function isInBody(location: string): boolean {
  return /^body([.[]|$)/.test(location)
}

/** The deepest value on the way to a place such as `.tags[0]`. Names may contain dots and brackets. */
function nodeAt(node: JsonNode, place: string): JsonNode {
  const [step, child] =
    [...node.inner]
      .filter(([name]) => place.startsWith(name) && /^([.[]|$)/.test(place.slice(name.length)))
      .toSorted(([one], [other]) => other.length - one.length)
      .at(0) ?? []

  return step === undefined || !child ? node : nodeAt(child, place.slice(step.length))
}

/** Values that are deeper inside each other are not read. */
const MAX_DEPTH = 200

const SPACE = /[ \t\r\n]*/y
/** A text, a number or a word (RFC 8259). */
const SCALAR =
  /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy

/** Finds where the values of a JSON text are. */
class JsonScanner {
  /** The position: after a mistake, where it is. */
  at = 0
  /** What the text should have there. */
  expected = 'a value'
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The value of the whole text; `undefined` when it is not JSON. */
  read(): JsonNode | undefined {
    const node = this.#value(0)
    if (!node || this.at === this.#text.length) return node
    this.expected = 'the end'
    return undefined
  }

  #value(depth: number): JsonNode | undefined {
    this.#take(SPACE)
    const node: JsonNode = { from: this.at, to: this.at, inner: new Map() }
    const isObject = this.#skip('{')
    if (isObject || this.#skip('[')) {
      if (depth > MAX_DEPTH || !this.#members(node, isObject, depth)) return undefined
    } else if (this.#take(SCALAR) === '') {
      return this.#fail('a value')
    }
    node.to = this.at
    this.#take(SPACE)
    return node
  }

  /** Reads what is in an object or a list, with its end. */
  #members({ inner }: JsonNode, isObject: boolean, depth: number): true | undefined {
    const end = isObject ? '}' : ']'
    this.#take(SPACE)
    if (this.#skip(end)) return true
    for (;;) {
      const step = isObject ? this.#name() : `[${inner.size}]`
      const value = step === undefined ? undefined : this.#value(depth + 1)
      if (step === undefined || !value) return undefined
      inner.set(step, value)
      if (this.#skip(end)) return true
      if (!this.#skip(',')) return this.#fail(`a comma or ${end}`)
    }
  }

  /** The name of a property with its colon. */
  #name(): string | undefined {
    this.#take(SPACE)
    const name = this.#text[this.at] === '"' ? this.#take(SCALAR) : ''
    if (name === '') return this.#fail('a name in double quotes')
    this.#take(SPACE)
    return this.#skip(':') ? `.${JSON.parse(name)}` : this.#fail('a colon')
  }

  #skip(character: string): boolean {
    if (this.#text[this.at] !== character) return false
    this.at += 1
    return true
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const [found = ''] = pattern.exec(this.#text) ?? []
    this.at += found.length
    return found
  }

  #fail(expected: string): undefined {
    this.expected = expected
  }
}
