/** A number literal. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A JSON value without loss: numbers are literals, and objects are maps. */
export type Json = null | boolean | string | JsonNumber | Json[] | Map<string, Json>

const MAX_DEPTH = 100

const TOKENS = /"(?:[^"\\]+|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * Parses a body. Returns `undefined` for one that must be refused: not UTF-8, not JSON, more than 100 nested levels, or a
 * repeated key with different values.
 */
export function readJson(bytes: Uint8Array): Json | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    JSON.parse(text)
    const tokens = text.match(TOKENS) ?? []
    return depthOf(tokens) > MAX_DEPTH ? undefined : new Reader(tokens).value()
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}

function depthOf(tokens: readonly string[]): number {
  let depth = 0
  let maximum = 0
  for (const token of tokens) {
    if (token === '[' || token === '{') depth += 1
    if (token === ']' || token === '}') depth -= 1
    maximum = Math.max(maximum, depth)
  }
  return maximum
}

/** Reads the tokens of valid JSON. */
class Reader {
  readonly #tokens: readonly string[]
  #position = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  value(): Json {
    const token = this.#next()
    if (token === '{') return this.#object()
    if (token === '[') return this.#list()
    if (/^[-\d]/.test(token)) return new JsonNumber(token)
    const plain: null | boolean | string = JSON.parse(token)
    return plain
  }

  #object(): Json {
    const members = new Map<string, Json>()
    for (let token = this.#next(); token !== '}'; token = this.#next()) {
      if (token === ',') continue
      const key: string = JSON.parse(token)
      this.#next()
      const value = this.value()
      if (members.has(key) && !isEqual(members.get(key), value)) throw new SyntaxError(key)
      members.set(key, value)
    }
    return members
  }

  #list(): Json {
    const items: Json[] = []
    while (this.#tokens[this.#position] !== ']') {
      if (this.#tokens[this.#position] === ',') this.#next()
      items.push(this.value())
    }
    this.#next()
    return items
  }

  #next(): string {
    const token = this.#tokens[this.#position] ?? ''
    this.#position += 1
    return token
  }
}

function isEqual(one: Json | undefined, other: Json): boolean {
  return canonicalText(one) === canonicalText(other)
}

/** A text that is the same for equal values. */
function canonicalText(value: Json | undefined): string {
  if (value instanceof JsonNumber) return String(integerOf(value.text) ?? value.text)
  if (Array.isArray(value)) return `[${value.map(canonicalText)}]`
  if (!(value instanceof Map)) return JSON.stringify(value) ?? ''
  const members = [...value].map(([name, one]) => `${JSON.stringify(name)}:${canonicalText(one)}`)
  return `{${members.sort()}}`
}

/** The integer value of a number literal, if JavaScript can represent it exactly. Computed from the digits only. */
export function integerOf(text: string): number | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return 0
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length)
  if (zeros < 0 || significant.length + zeros > 16) return undefined
  const value = Number(sign + significant + '0'.repeat(zeros))

  return Number.isSafeInteger(value) ? value : undefined
}
