// biome-ignore-all lint/suspicious/noThenProperty: It is a keyword of JSON Schema.
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { scaledRuns } from '../testing/long-run.ts'
import { generateValue } from './generate-value.ts'
import { RandomSource } from './random.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const CASES = scaledRuns(600)

const WORDS = ['a', 'ab', 'Xyz', 'f-1', '2024-02-03', 'a@b.co', '\u{1F600}x', '']
const NAMES = ['id', 'name', 'email', 'created_at', 'x-1', 'tags', 'parent']

/** A random JSON value. */
function randomValue(random: RandomSource, depth: number): unknown {
  const kind = random.integer(0, depth > 0 ? 6 : 4)
  if (kind === 0) return null
  if (kind === 1) return random.next() < 0.5
  if (kind === 2) return random.integer(-20, 200)
  if (kind === 3) return random.integer(-500, 5000) / 100
  if (kind === 4) return random.pick(WORDS)
  const values = Array.from({ length: random.integer(0, 3) }, () => randomValue(random, depth - 1))
  if (kind === 5) return values
  return Object.fromEntries(values.map((value) => [random.pick(NAMES), value]))
}

/** A random schema that a value matches. */
function schemaFor(value: unknown, random: RandomSource, depth: number): Schema {
  const own = [...typeKeywords(value, random), ...valueKeywords(value, random, depth)]
  const schema: Record<string, unknown> = Object.fromEntries(own)
  if (depth <= 0) return schema
  switch (random.integer(0, 11)) {
    case 0:
      return { allOf: [schema, schemaFor(value, random, depth - 1)] }
    case 1:
      return { anyOf: random.shuffle([schema, otherSchema(random)]) }
    case 2:
      return { oneOf: random.shuffle([schema, { type: otherType(value) }]) }
    case 3:
      return { ...schema, not: { type: otherType(value) } }
    case 4:
      return { ...schema, not: { enum: ['never', 17] } }
    case 5:
      return { if: schema, then: schemaFor(value, random, depth - 1), else: false }
    case 6:
      return { if: { type: otherType(value) }, then: false, else: schema }
    default:
      return schema
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function otherType(value: unknown): string {
  return ['string', 'object', 'boolean'].find((type) => type !== typeOf(value)) ?? 'null'
}

function otherSchema(random: RandomSource): Schema {
  return schemaFor(randomValue(random, 1), random, 0)
}

function typeKeywords(value: unknown, random: RandomSource): (readonly [string, unknown])[] {
  const type = Number.isInteger(value) && random.next() < 0.5 ? 'integer' : typeOf(value)
  const kind = random.integer(0, 5)
  if (kind === 0) return []
  return [['type', kind === 1 ? random.shuffle([type, otherType(value)]) : type]]
}

function valueKeywords(
  value: unknown,
  random: RandomSource,
  depth: number,
): (readonly [string, unknown])[] {
  if (random.integer(0, 12) === 0) return [['const', value]]
  if (random.integer(0, 8) === 0) return [['enum', random.shuffle([value, 'other', 3])]]
  const keywords = keywordsOf(value, random, depth)
  return keywords.filter(() => random.next() < 0.4)
}

function keywordsOf(
  value: unknown,
  random: RandomSource,
  depth: number,
): (readonly [string, unknown])[] {
  if (typeof value === 'number') {
    return [
      ['minimum', value - random.integer(0, 3)],
      ['maximum', value + random.integer(0, 3)],
      ['exclusiveMinimum', value - 0.5],
      ['exclusiveMaximum', value + 1],
      ['multipleOf', [5, 1].find((step) => value % step === 0) ?? 0.01],
    ]
  }
  if (typeof value === 'string') return textKeywords(value, random)
  if (Array.isArray(value)) return listKeywords(value, random, depth)
  return typeof value === 'object' && value !== null ? objectKeywords(value, random, depth) : []
}

function textKeywords(value: string, random: RandomSource): (readonly [string, unknown])[] {
  const length = Array.from(value).length
  return [
    ['minLength', Math.max(0, length - random.integer(0, 2))],
    ['maxLength', length + random.integer(0, 3)],
    ...(/^[a-z]+$/.test(value) ? [['pattern', '^[a-z]+$'] as const] : []),
    ...(value.includes('@') ? [['format', 'email'] as const] : []),
    ...(value.startsWith('2024') ? [['format', 'date'] as const] : []),
    ...(value === 'f-1' ? [['pattern', '^[a-f](-\\d)*'] as const] : []),
  ]
}

function listKeywords(
  list: readonly unknown[],
  random: RandomSource,
  depth: number,
): (readonly [string, unknown])[] {
  const texts = list.map((item) => JSON.stringify(item))
  const schemas = list.map((item) => schemaFor(item, random, depth - 1))
  return [
    ['minItems', Math.max(0, list.length - random.integer(0, 1))],
    ['maxItems', list.length + random.integer(0, 2)],
    ...(new Set(texts).size === list.length ? [['uniqueItems', true] as const] : []),
    ...(schemas.length > 0 ? itemKeywords(schemas, random) : []),
  ]
}

function itemKeywords(
  schemas: readonly Schema[],
  random: RandomSource,
): (readonly [string, unknown])[] {
  const contains = ['contains', schemas[0]] as const
  if (random.next() < 0.5) return [contains, ['items', { anyOf: schemas }]]
  return [contains, ['prefixItems', schemas], ['unevaluatedItems', false]]
}

function objectKeywords(
  object: object,
  random: RandomSource,
  depth: number,
): (readonly [string, unknown])[] {
  const names = Object.keys(object)
  const described = names.filter(() => random.next() < 0.8)
  const properties = Object.fromEntries(
    described.map((name) => [name, schemaFor(Reflect.get(object, name), random, depth - 1)]),
  )
  const isClosed = described.length === names.length
  return [
    ['properties', { ...properties, ...(random.next() < 0.2 && { extra: { type: 'integer' } }) }],
    ['required', names.filter(() => random.next() < 0.5)],
    ['minProperties', Math.max(0, names.length - random.integer(0, 1))],
    ['maxProperties', names.length + random.integer(0, 1)],
    ['propertyNames', { maxLength: 10 }],
    ['patternProperties', { '^x-': {} }],
    ['dependentRequired', Object.fromEntries(names.slice(0, 1).map((name) => [name, names]))],
    ...(isClosed
      ? [[random.pick(['additionalProperties', 'unevaluatedProperties']) ?? '', false] as const]
      : []),
  ]
}

describe('values for random schemas', () => {
  it('are valid by an independent validator, whenever they are said to be, and nearly always are', () => {
    const ajv = new Ajv2020({ strict: false, logger: false })
    formats.default(ajv)
    const random = RandomSource.from(['random schemas'])
    const wrong: unknown[] = []
    const missing: unknown[] = []

    for (let at = 0; at < CASES; at += 1) {
      const source = random.part(at)
      const value = randomValue(source, 3)
      const schema = schemaFor(value, source, 3)
      // `properties` and others may have been dropped, after which the value does not match.
      if (!ajv.validate(schema, value)) continue
      const generated = generateValue({ schema, seed: [at], now: NOW })
      const isValid = generated.value !== undefined && ajv.validate(schema, generated.value)
      if (generated.isValid && !isValid) wrong.push([schema, generated.value])
      if (!generated.isValid) missing.push([schema, value, generated.reason])
      ajv.removeSchema(schema)
    }

    expect(wrong).toEqual([])
    expect(missing.length).toBeLessThan(CASES / 100)
  })
})
