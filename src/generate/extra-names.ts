import type { Schema } from '../contract/contract.ts'
import { listOf, schemaMapOf, schemaOf } from './keywords.ts'
import { matches } from './matches.ts'
import { patternText } from './pattern-text.ts'
import type { Place } from './place.ts'
import { textValue } from './text-value.ts'
import { WORDS } from './words.ts'

const ANY_LENGTH = { min: 0, max: 200 }

/** Names for properties that no schema names. `needed` of them are required; without any, only schemas with entries get some. */
export function* extraNames(
  applied: readonly Schema[],
  place: Place,
  needed: number,
): Generator<string> {
  const random = place.random.part('names')
  const named = applied.flatMap((schema) => listOf(schemaOf(schema, 'propertyNames')))
  const isValid = (name: string): boolean => named.every((one) => matches(one, name))
  const patterns = applied.flatMap((schema) => schemaMapOf(schema, 'patternProperties'))
  const hasEntries = applied.some(
    ({ additionalProperties: inner }) => typeof inner === 'object' && Object.keys(inner).length > 0,
  )
  if (needed <= 0 && patterns.length === 0 && !hasEntries) return
  const count = Math.max(needed, 2)
  for (let at = 0; at < count * 3; at += 1) {
    for (const one of named.flatMap((schema) => schema.enum ?? [])) yield String(one)
    for (const [pattern] of patterns) {
      const name = patternText(pattern, ANY_LENGTH, random.part(`${pattern} ${at}`), isValid)
      if (name !== undefined) yield name
    }
    if (hasEntries || needed > 0)
      yield* plainNames(named, { ...place, random: random.part(at) }, at)
  }
}

function* plainNames(named: readonly Schema[], place: Place, at: number): Generator<string> {
  const word = place.random.pick(WORDS) ?? 'amber'
  if (named.length === 0) {
    yield word
    yield `${word}${at}`
    return
  }
  const maker = { now: 0, isSmall: false, make: () => undefined, fail: () => undefined }
  const text = textValue(named, { ...place, name: '' }, maker)
  if (typeof text === 'string') yield text
}
