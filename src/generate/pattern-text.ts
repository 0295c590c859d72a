import { type SetTokens, type Token, type Tokens, types } from 'ret'
import {
  alternativesOf,
  containsCode,
  isAssertion,
  isTestable,
  type Pattern,
  parsePattern,
  shortestLength,
} from './pattern.ts'
import type { RandomSource } from './random-source.ts'

/** The limits of the length of a text. */
export interface LengthLimits {
  readonly min: number
  readonly max: number
}

/** No text for a pattern is longer. */
const MAX_LENGTH = 10_000

/** How many parts are written for one text. Nested repeats of nothing would take forever. */
const MAX_WORK = 30_000

/** How many texts are tried. */
const MAX_TRIES = 40

/** A text that matches a pattern and `isValid`; `undefined` when none is found. */
export function patternText(
  text: string,
  limits: LengthLimits,
  random: RandomSource,
  isValid: (text: string) => boolean,
): string | undefined {
  const pattern = parsePattern(text)
  if (!pattern?.root || pattern.shortest > MAX_LENGTH) return undefined
  if (pattern.shortest > limits.max || limits.min > MAX_LENGTH) return undefined
  // A text that is too long to be tested may make the validator slow.
  let assumed: string | undefined
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const written = new PatternWriter(pattern, limits, attempt, random.part(attempt)).write()
    const missing = 'a'.repeat(Math.max(0, limits.min - written.length))
    // A pattern without an anchor allows more text before or after.
    const valid = [written, written + missing, missing + written].find(isValid)
    if (valid !== undefined && isTestable(text, valid)) return valid
    assumed ??= valid
  }
  return assumed
}

/** How many characters more than the shortest text is long, by the attempt. */
const EXTRA = [6, 3, 0, 10, 1, 2, 4, 20, 5, 40]

class PatternWriter {
  readonly #pattern: Pattern
  readonly #attempt: number
  readonly #random: RandomSource
  readonly #groups = new Map<Token, string>()
  /** How many characters may be added to the shortest text. */
  #left: number
  #work = 0

  constructor(pattern: Pattern, limits: LengthLimits, attempt: number, random: RandomSource) {
    this.#pattern = pattern
    this.#attempt = attempt
    this.#random = random
    const extra = EXTRA[attempt % EXTRA.length] ?? 0
    const wanted = limits.min > pattern.shortest ? limits.min : pattern.shortest + extra
    this.#left = Math.min(wanted, limits.max, MAX_LENGTH) - pattern.shortest
  }

  write(): string {
    const { root } = this.#pattern
    return root ? this.#write(root) : ''
  }

  #write(token: Tokens): string {
    this.#work += 1
    if (this.#work > MAX_WORK) return ''
    switch (token.type) {
      case types.ROOT:
      case types.GROUP:
        return this.#writeGroup(token)
      case types.REPETITION:
        return this.#writeRepetition(token)
      case types.REFERENCE:
        return this.#groups.get(this.#pattern.groups[token.value - 1] ?? token) ?? ''
      case types.CHAR:
        return String.fromCharCode(token.value)
      case types.SET:
        return this.#writeSet(token)
      default:
        return ''
    }
  }

  #writeGroup(token: Extract<Tokens, { type: types.ROOT | types.GROUP }>): string {
    // Some patterns require in front what the rest makes only by chance.
    if (isAssertion(token)) return ''
    const options = alternativesOf(token)
    const fitting = options.filter(
      (option) => lengthOf(option) - shortestLength(token) <= this.#left,
    )
    const chosen = this.#random.pick(fitting.length > 0 ? fitting : options) ?? []
    this.#left -= Math.max(0, lengthOf(chosen) - shortestLength(token))
    const text = chosen.map((one) => this.#write(one)).join('')
    if (token.type === types.GROUP) this.#groups.set(token, text)

    return text
  }

  #writeRepetition({ min, max, value }: Extract<Token, { type: types.REPETITION }>): string {
    const length = shortestLength(value)
    // Repeating what may be empty a million times takes time and no room.
    const least = length === 0 ? Math.min(min, 5) : min
    const most = Math.min(max - min, Math.floor(this.#left / Math.max(1, length)))
    const isGreedy = this.#attempt % 2 === 0
    const added = isGreedy ? most : this.#random.integer(0, most)
    this.#left -= added * length
    const parts: string[] = []
    for (let count = 0; count < least + added; count += 1) parts.push(this.#write(value))

    return parts.join('')
  }

  #writeSet({ set, not }: Extract<Token, { type: types.SET }>): string {
    const isIn = (code: number): boolean => containsCode(set, code) !== not
    const [first] = set
    const preferred = PREFERRED[Math.min(Math.floor(this.#attempt / 2), PREFERRED.length - 1)]
    for (const codes of [...(preferred ?? []), LETTERS_AND_DIGITS, PRINTABLE]) {
      const code = this.#random.pick(codes.filter(isIn))
      if (code !== undefined) return String.fromCharCode(code)
    }
    if (not || !first) return ''
    return String.fromCharCode(first.type === types.RANGE ? first.from : firstCode(first))
  }
}

function lengthOf(sequence: readonly Token[]): number {
  return sequence.reduce((sum, token) => sum + shortestLength(token), 0)
}

function firstCode(token: SetTokens[number]): number {
  if (token.type === types.CHAR) return token.value
  return token.type === types.RANGE ? token.from : 0x20
}

const PRINTABLE = Array.from({ length: 95 }, (_, at) => 32 + at)
const LOWER_CASE = codesOf(/[a-z]/)
const LETTERS_AND_DIGITS = codesOf(/[a-zA-Z0-9]/)

/** The characters to choose from first, by the attempt. Texts of a class of many characters look better with letters. */
const PREFERRED = [
  [LOWER_CASE],
  [LOWER_CASE],
  [LETTERS_AND_DIGITS],
  [LETTERS_AND_DIGITS],
  [PRINTABLE],
]

function codesOf(expression: RegExp): readonly number[] {
  return PRINTABLE.filter((code) => expression.test(String.fromCharCode(code)))
}
