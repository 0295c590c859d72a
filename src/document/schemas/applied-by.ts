import type { Schema } from '../../contract/contract.ts'
import { isObject } from '../../validation/objects.ts'
import { asArray, asObject } from '../json-value.ts'
import { toRegExp } from './regular-expression.ts'
import { PROTOTYPE } from './write-schema.ts'

/** A subschema, the part of the value that it applies to, and the key of that part. */
export type Applied = readonly [schema: Schema, value: unknown, key?: string]

/** What a keyword applies to which part of a value. Everything of it must match. */
export function* appliedBy(
  keyword: string,
  schema: Schema,
  value: unknown,
): Generator<Applied, void> {
  if (keyword === 'allOf') {
    for (const branch of schema.allOf ?? []) yield [branch, value]
  } else if (keyword === 'prefixItems') {
    if (!Array.isArray(value)) return
    const items = asArray(schema.prefixItems)
    for (const [at, item] of value.slice(0, items.length).entries()) {
      yield [asObject(items[at]), item, String(at)]
    }
  } else if (isObject(value)) {
    if (keyword === 'additionalProperties') yield* appliedToOthers(schema, value)
    else if (keyword === 'patternProperties') yield* appliedByPattern(schema, value)
    else yield* appliedByName(keyword, asObject(schema[keyword]), value)
  }
}

function* appliedToOthers(
  { properties = {}, patternProperties, additionalProperties: others }: Schema,
  object: Readonly<Record<string, unknown>>,
): Generator<Applied, void> {
  const patterns = Object.keys(asObject(patternProperties)).map((one) => toRegExp(one, 'u'))
  for (const [name, part] of Object.entries(object)) {
    if (Object.hasOwn(properties, name) || patterns.some((one) => one.test(name))) continue
    yield [others === false ? { not: {} } : asObject(others), part, name]
  }
}

function* appliedByPattern(
  { patternProperties }: Schema,
  object: Readonly<Record<string, unknown>>,
): Generator<Applied, void> {
  for (const [pattern, inner] of Object.entries(asObject(patternProperties))) {
    const expression = toRegExp(pattern, 'u')
    for (const [name, part] of Object.entries(object)) {
      if (expression.test(name)) yield [asObject(inner), part, name]
    }
  }
}

function* appliedByName(
  keyword: string,
  schemas: Readonly<Record<string, unknown>>,
  object: Readonly<Record<string, unknown>>,
): Generator<Applied, void> {
  for (const [name, part] of Object.entries(object)) {
    // A pattern stands for this one.
    if (name === PROTOTYPE || !Object.hasOwn(schemas, name) || part === undefined) continue
    const inner = asObject(schemas[name])
    yield keyword === 'properties' ? [inner, part, name] : [inner, object]
  }
}
