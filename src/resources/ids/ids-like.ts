import { RandomSource } from '../../generate/random.ts'
import type { IdGenerator } from '../id-generator.ts'
import { countedIds, derivedIds } from './counted-ids.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A prefix that ends with a separator, and the rest: `cus_` and `NffrFeUfNV2Hib`. */
const PREFIXED = /^(.*[_\-.:])([A-Za-z0-9]+)$/

/** Longer numbers are no counts. */
const MAX_DIGITS = 15

/** Shorter texts are words or counts, unless they are hexadecimal. */
const MIN_RANDOM = 6

/**
 * Ids of the same form as an example: of the same prefix, length and alphabet, or counted. `undefined` for a word, which says
 * nothing about other ids.
 */
export function idsLike(
  example: string,
  seed: readonly (number | string)[],
): IdGenerator | undefined {
  if (UUID.test(example)) return uuidsLike(example, seed)
  if (/^\d+$/.test(example)) return numbersLike('', example, seed)
  const [, prefix = '', rest = example] = PREFIXED.exec(example) ?? []
  if (/^\d+$/.test(rest)) return numbersLike(prefix, rest, seed)

  return isRandom(rest) ? textsLike(prefix, rest, seed) : undefined
}

function uuidsLike(example: string, seed: readonly (number | string)[]): IdGenerator {
  const isUpper = example !== example.toLowerCase()
  const version = example.charAt(14)

  return derivedIds((count) => {
    const random = RandomSource.from([...seed, count])
    const form = `xxxxxxxx-xxxx-${version}xxx-yxxx-xxxxxxxxxxxx`
    const text = form.replace(/[xy]/g, (kind) =>
      (kind === 'x' ? random.integer(0, 15) : 8 + random.integer(0, 3)).toString(16),
    )
    return isUpper ? text.toUpperCase() : text
  })
}

/** Counted texts with as many digits as their example. A length that no count has is kept, too. */
function numbersLike(
  prefix: string,
  digits: string,
  seed: readonly (number | string)[],
): IdGenerator {
  if (digits.length > MAX_DIGITS) return textsLike(prefix, digits, seed)
  const width = digits.startsWith('0') ? digits.length : 0
  const first = width > 0 || digits.length === 1 ? 1 : 10 ** (digits.length - 1) + 1
  const toId = (count: number): string => prefix + String(count).padStart(width, '0')
  const countOf = (id: number | string): number => {
    const text = String(id)
    return text.startsWith(prefix) ? Number(text.slice(prefix.length)) : Number.NaN
  }

  return countedIds({ toId, countOf, first })
}

/** Whether a text looks like a random one, such as `NffrFeUfNV2Hib` or `507f1f77bcf86cd799439011`, and not like a word. */
function isRandom(text: string): boolean {
  if (text.length < MIN_RANDOM) return false
  const isMixed = /\d/.test(text) && /[A-Za-z]/.test(text)
  // A word with a number at its end, such as "example1".
  const isNumbered = /^[A-Za-z]+\d{1,4}$/.test(text)

  return (isMixed && !isNumbered) || /[a-z][A-Z].*[a-z][A-Z]/.test(text)
}

const ALPHABETS: readonly (readonly [kind: RegExp, characters: string])[] = [
  [/[0-9]/, '0123456789'],
  [/[a-z]/, 'abcdefghijklmnopqrstuvwxyz'],
  [/[A-Z]/, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
]

function textsLike(prefix: string, rest: string, seed: readonly (number | string)[]): IdGenerator {
  const alphabet = alphabetOf(rest)

  return derivedIds((count) => {
    const random = RandomSource.from([...seed, count])
    const characters = Array.from(
      rest,
      (_, at) => (at === 0 && pickDigit(rest, alphabet, random)) || random.pick([...alphabet]),
    )
    return prefix + characters.join('')
  })
}

/** The first digit of a number is not zero. */
function pickDigit(rest: string, alphabet: string, random: RandomSource): string | undefined {
  return alphabet === '0123456789' && !rest.startsWith('0')
    ? String(random.integer(1, 9))
    : undefined
}

function alphabetOf(text: string): string {
  if (/^[0-9a-f]+$/.test(text)) return /^\d+$/.test(text) ? '0123456789' : '0123456789abcdef'
  if (/^[0-9A-F]+$/.test(text)) return '0123456789ABCDEF'
  const alphabets = ALPHABETS.filter(([kind]) => kind.test(text))
  return alphabets.map(([, characters]) => characters).join('')
}
