/** A number as it is written. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A JSON value that forgets nothing of its text: numbers are as written, and objects are maps. */
export type Json = null | boolean | string | JsonNumber | Json[] | Map<string, Json>

const DEEPEST = 100

const TOKENS = /"(?:[^"\\]+|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * A body's JSON; `undefined` for one that must be refused: no UTF-8, no JSON, nested more than 100 deep, or with a key that
 * stands twice with two values.
 */
export function readJson(bytes: Uint8Array): Json | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    JSON.parse(text)
    const tokens = text.match(TOKENS) ?? []
    return depthOf(tokens) > DEEPEST ? undefined : new Reader(tokens).value()
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}

function depthOf(tokens: readonly string[]): number {
  let open = 0
  let most = 0
  for (const token of tokens) {
    if (token === '[' || token === '{') open += 1
    if (token === ']' || token === '}') open -= 1
    most = Math.max(most, open)
  }
  return most
}

/** Of tokens that are known to be well-formed. */
class Reader {
  readonly #tokens: readonly string[]
  #at = 0

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
      if (members.has(key) && !isSame(members.get(key), value)) throw new SyntaxError(key)
      members.set(key, value)
    }
    return members
  }

  #list(): Json {
    const items: Json[] = []
    while (this.#tokens[this.#at] !== ']') {
      if (this.#tokens[this.#at] === ',') this.#next()
      items.push(this.value())
    }
    this.#next()
    return items
  }

  #next(): string {
    const token = this.#tokens[this.#at] ?? ''
    this.#at += 1
    return token
  }
}

function isSame(one: Json | undefined, other: Json): boolean {
  return spelt(one) === spelt(other)
}

/** The same text for the same value. */
function spelt(value: Json | undefined): string {
  if (value instanceof JsonNumber) return String(integerOf(value.text) ?? value.text)
  if (Array.isArray(value)) return `[${value.map(spelt)}]`
  if (!(value instanceof Map)) return JSON.stringify(value) ?? ''
  const members = [...value].map(([name, one]) => `${JSON.stringify(name)}:${spelt(one)}`)
  return `{${members.sort()}}`
}

/** The integer that a JSON number is, when JavaScript holds it exactly. Decided by its digits alone. */
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
