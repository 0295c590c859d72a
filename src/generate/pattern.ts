import type { SetTokens, Token, Tokens } from 'ret'
import { tokenizer } from 'ret/dist/tokenizer.js'
import { types } from 'ret/dist/types/index.js'
import { once } from '../validation/objects.ts'
import type { RandomSource } from './random.ts'

/** A regular expression of a document, and what is known about it. */
interface Pattern {
  readonly expression: RegExp
  /** Its parts; `undefined` when the parser does not know the syntax. */
  readonly root: Tokens | undefined
  /** The length of the shortest text that its parts describe. */
  readonly shortest: number
  /** The length up to which a text is tested in a few milliseconds, even if the expression takes exponential time. */
  readonly testableLength: number
  /** The groups that have a number, in their order. */
  readonly groups: readonly Token[]
}

/** Documents have some hundred patterns. */
const MAX_CACHED = 2000
const cache = new Map<string, Pattern | undefined>()

/** Parses a pattern as JSON Schema reads it; `undefined` when it is no regular expression. */
function parsePattern(text: string): Pattern | undefined {
  if (cache.has(text)) return cache.get(text)
  if (cache.size >= MAX_CACHED) cache.clear()
  const parsed = parse(text)
  cache.set(text, parsed)

  return parsed
}

/** Whether a text matches a pattern. A text that would take too long to test is assumed to match. */
export function matchesPattern(pattern: string, text: string): boolean {
  const parsed = parsePattern(pattern)
  if (!parsed || text.length > parsed.testableLength) return true
  return parsed.expression.test(text)
}

/** Whether {@link matchesPattern} really tests a text. */
export function isTestable(pattern: string, text: string): boolean {
  return text.length <= (parsePattern(pattern)?.testableLength ?? 0)
}

function parse(text: string): Pattern | undefined {
  const expression = toExpression(text)
  if (!expression) return undefined
  try {
    if (text.length > MAX_PATTERN_LENGTH) throw new RangeError('The pattern is too long')
    const root = tokenizer(toKnownSyntax(text))
    const groups: Token[] = []
    visit(root, (token) => {
      if (token.type === types.GROUP && token.remember) groups.push(token)
    })
    const shortest = shortestLength(root)
    return { expression, root, shortest, testableLength: testableLength(root), groups }
  } catch {
    return { expression, root: undefined, shortest: 0, testableLength: NESTED_LENGTH, groups: [] }
  }
}

/** Longer patterns are tested, and not parsed. */
const MAX_PATTERN_LENGTH = 5000

function toExpression(text: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(text, flags)
    } catch {
      // Many real patterns are invalid with the `u` flag.
    }
  }
  return undefined
}

/** Classes of characters by their Unicode property. */
const CLASSES: readonly (readonly [property: RegExp, characters: string])[] = [
  [/^(L|Ll|Letter|Alphabetic|.*[Ll]etter)$/, 'a-z'],
  [/^(Lu|Uppercase.*)$/, 'A-Z'],
  [/^(N|Nd|Nl|No|Number)$/, '0-9'],
  [/^(P|Pd|Punctuation)$/, '\\-'],
  [/^(Z|Zs|Separator)$/, ' '],
]

/** Replaces syntax that the parser does not know: Unicode properties, `\u{…}` and look-behinds. */
function toKnownSyntax(text: string): string {
  return text
    .replace(/\(\?<([=!])/g, '(?$1')
    .replace(/\\u\{0*([0-9a-fA-F]{1,4})\}/g, (_, digits: string) => `\\u${digits.padStart(4, '0')}`)
    .replace(/\\([pP])\{([^}]*)\}/g, (_, kind: string, property: string, at: number) => {
      const name = property.replace(/^.*=/, '')
      const [, characters = 'a-z'] = CLASSES.find(([known]) => known.test(name)) ?? []
      return isInClass(text, at) || kind === 'P' ? characters : `[${characters}]`
    })
}

function isInClass(text: string, at: number): boolean {
  const before = text.slice(0, at).replace(/\\./g, '')
  return before.lastIndexOf('[') > before.lastIndexOf(']')
}

/** The parts of a group, of the whole pattern or of a repetition: alternatives of sequences. */
function alternativesOf(token: Tokens): readonly (readonly Token[])[] {
  if (token.type === types.REPETITION) return [[token.value]]
  if (token.type !== types.GROUP && token.type !== types.ROOT) return []
  return token.options ?? [token.stack ?? []]
}

/** Whether a group only looks ahead or behind. */
function isAssertion(token: Tokens): boolean {
  return token.type === types.GROUP && (token.followedBy === true || token.notFollowedBy === true)
}

function visit(token: Tokens, onToken: (token: Token) => void): void {
  for (const inner of alternativesOf(token).flat()) {
    onToken(inner)
    visit(inner, onToken)
  }
}

/** The length of the shortest text for a part. */
const shortestLength: (token: Tokens) => number = once(computeShortestLength)

function computeShortestLength(token: Tokens): number {
  switch (token.type) {
    case types.ROOT:
    case types.GROUP:
      if (isAssertion(token)) return 0
      return Math.min(
        ...alternativesOf(token).map((sequence) =>
          sequence.reduce((sum, one) => sum + shortestLength(one), 0),
        ),
      )
    case types.REPETITION:
      return token.min === 0 ? 0 : token.min * shortestLength(token.value)
    case types.CHAR:
    case types.SET:
      return 1
    default:
      return 0
  }
}

/** A repeat inside a repeat may try every way to divide the text, which doubles with each character. */
const NESTED_LENGTH = 18

/** The number of steps that a test may take. */
const MAX_STEPS = 1e6

function testableLength(root: Tokens): number {
  let openRepeats = 0
  let isNested = false
  visit(root, (token) => {
    if (token.type === types.REFERENCE) isNested = true
    if (token.type !== types.REPETITION || token.max === token.min) return
    if (token.max - token.min > 1) openRepeats += 1
    if (token.max > 1 && !isDelimited(token.value)) {
      visit(token, (inner) => {
        const isChoice = inner.type === types.GROUP && (inner.options?.length ?? 1) > 1
        const isOpen = inner.type === types.REPETITION && inner.max !== inner.min
        if (isChoice || isOpen) isNested = true
      })
    }
  })
  if (isNested) return NESTED_LENGTH

  return Math.max(NESTED_LENGTH, MAX_STEPS ** (1 / Math.max(1, openRepeats)))
}

/** Whether a group begins or ends with a character that is nowhere else in it, so that a text is divided in one way only. */
function isDelimited(group: Token): boolean {
  const [sequence = [], ...others] = alternativesOf(group)
  if (group.type !== types.GROUP || others.length > 0) return false

  return [sequence[0], sequence.at(-1)].some((delimiter) => {
    if (delimiter?.type !== types.CHAR) return false
    let count = 0
    visit(group, (token) => {
      const isSame = token.type === types.CHAR && token.value === delimiter.value
      const isIn =
        token.type === types.SET && containsCode(token.set, delimiter.value) !== token.not
      if (isSame || isIn) count += 1
    })
    return count === 1
  })
}

/** Whether a class contains a character. */
function containsCode(set: SetTokens, code: number): boolean {
  return set.some((token) => {
    if (token.type === types.RANGE) return token.from <= code && code <= token.to
    if (token.type === types.CHAR) return token.value === code
    return containsCode(token.set, code) !== token.not
  })
}

/** The limits of the length of a text. */
interface LengthLimits {
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

  #writeSet(token: CharacterSet): string {
    const { set, not } = token
    const [first] = set
    const preferred = PREFERRED[Math.min(Math.floor(this.#attempt / 2), PREFERRED.length - 1)]
    for (const codes of [...(preferred ?? []), LETTERS_AND_DIGITS, PRINTABLE]) {
      const code = this.#random.pick(codesIn(token)(codes))
      if (code !== undefined) return String.fromCharCode(code)
    }
    if (not || !first) return ''
    return String.fromCharCode(first.type === types.RANGE ? first.from : firstCode(first))
  }
}

type CharacterSet = Extract<Token, { type: types.SET }>

/** Which of some characters are in a set. Each is asked for again with every text of the pattern. */
const codesIn = once(({ set, not }: CharacterSet) =>
  once((codes: readonly number[]) => codes.filter((code) => containsCode(set, code) !== not)),
)

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
