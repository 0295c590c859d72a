import type { Schema } from '../contract/contract.ts'
import { allTexts, hasFormats, limitOf } from './constraints.ts'
import { textsLikeExamples } from './examples.ts'
import { formatText, isKnownFormat } from './format-texts.ts'
import { codePoints } from './json-values.ts'
import { matches } from './matches.ts'
import { namedText } from './named-texts.ts'
import { isTestable, matchesPattern } from './pattern.ts'
import { patternText } from './pattern-text.ts'
import { phrase } from './phrase.ts'
import type { Maker, Place } from './place.ts'
import { WORDS } from './words.ts'

/** No text is longer, unless its schema demands it. */
const MAX_LENGTH = 2000

/** No text that a schema demands is longer. */
const MAX_DEMANDED_LENGTH = 100_000

interface Limits {
  readonly min: number
  readonly max: number
}

/** A text that matches all of the schemas; `undefined` when none is found. */
export function textValue(schemas: readonly Schema[], place: Place, maker: Maker): unknown {
  const min = limitOf(schemas, 'minLength', Math.max) ?? 0
  const max = limitOf(schemas, 'maxLength', Math.min) ?? Math.max(min, MAX_LENGTH)
  if (min > max)
    return maker.fail(place, `no text has at least ${min} and at most ${max} characters`)
  if (min > MAX_DEMANDED_LENGTH) {
    return maker.fail(place, `texts of ${min} characters are not generated`)
  }
  const isValid = (text: string): boolean => schemas.every((schema) => matches(schema, text))
  const patterns = allTexts(schemas, 'pattern')
  const limits = { min, max }
  for (const text of plausible(schemas, limits, place, maker)) {
    if (patterns.every((pattern) => isTestable(pattern, text)) && isValid(text)) return text
  }
  for (const pattern of patterns) {
    const text = patternText(pattern, limits, place.random.part(pattern), isValid)
    if (text !== undefined) return text
  }
  for (const text of furtherTexts(schemas, limits, place, maker)) if (isValid(text)) return text
  if (patterns.length === 0) return maker.fail(place, 'no text was found that matches its schema')
  return maker.fail(place, `no text was found that matches its pattern ${patterns.join(' and ')}`)
}

/** Texts that fit the name and the formats of a value, the most plausible first. */
function* plausible(
  schemas: readonly Schema[],
  limits: Limits,
  place: Place,
  maker: Maker,
): Generator<string> {
  const formats = allTexts(schemas, 'format')
  const named = namedText(place, maker.now, limits)
  const isFixed = formats.some(isKnownFormat)
  const { varied, plain } = textsLikeExamples(schemas, place.random.part('example'))
  if (!isFixed) yield* varied
  if (named !== undefined && !isFixed) yield named
  yield* formats.flatMap((one) => formatText(one, limits, place, maker.now) ?? [])
  if (named !== undefined && isFixed && hasFormats(named, formats)) yield named
  yield* plain
}

/** Texts that may be valid by chance. */
function* furtherTexts(
  schemas: readonly Schema[],
  limits: Limits,
  place: Place,
  maker: Maker,
): Generator<string> {
  const { random } = place
  const formats = allTexts(schemas, 'format')
  yield* joinedTexts(allTexts(schemas, 'pattern'), limits, place)
  yield fitted(phrase(random.part('phrase')), limits)
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const other = random.part(`other ${attempt}`)
    yield* formats.flatMap(
      (one) => formatText(one, limits, { ...place, random: other }, maker.now) ?? [],
    )
    yield fitted(attempt % 2 === 0 ? phrase(other, 3) : String(other.integer(1, 1e9)), limits)
  }
  yield* ['', '0', 'a', 'A', '/', '#', '-', 'a'.repeat(limits.min), '1'.repeat(limits.min)]
}

/** For several patterns, a text for each of them in a row: one may be about the start, and another about the end. */
function joinedTexts(
  patterns: readonly string[],
  { max }: Limits,
  { random }: Place,
): readonly string[] {
  if (patterns.length < 2) return []
  const parts = patterns.flatMap((pattern) => {
    const isValid = (text: string): boolean => matchesPattern(pattern, text)
    return patternText(pattern, { min: 0, max }, random.part(pattern), isValid) ?? []
  })
  return [parts.join(''), [...parts].reverse().join('')]
}

/** A text that is cut or continued so that it has an allowed length. */
function fitted(text: string, { min, max }: Limits): string {
  if (codePoints(text) > max) return text.slice(0, max).replace(/ $/, 'a')
  if (codePoints(text) >= min) return text
  const words = ` ${WORDS.slice(0, 8).join(' ')}`
  const long = text + words.repeat(Math.ceil((min - text.length) / words.length))

  return long.slice(0, min).replace(/ $/, 'a')
}
