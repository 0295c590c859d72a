import { describe, expect, it, test } from 'vitest'
import { ValueLimit } from '../http/body-limits.ts'
import type { Schema } from './contract.ts'
import { InexactNumber, parseJson } from './json.ts'
import { normalize } from './normalize.ts'

const TEXT: Schema = { type: 'string' }

/** The normalized value, and the locations of the removed properties. */
function normalized(
  schema: Schema,
  value: unknown,
  useDefaults = true,
): [value: unknown, removed: string[]] {
  const removed: string[] = []
  const onRemove = (location: string): void => void removed.push(location)
  return [normalize(schema, value, 'body', { useDefaults, onRemove }), removed]
}

describe('a property that the schema does not know', () => {
  const name: Schema = { type: 'object', properties: { name: TEXT } }

  it.each<[name: string, schema: Schema, value: unknown, kept: unknown, removed: string[]]>([
    ['at the top', name, { name: 'a', x: 1 }, { name: 'a' }, ['body.x']],
    [
      'within a property',
      { properties: { owner: name } },
      { owner: { name: 'a', x: 1 } },
      { owner: { name: 'a' } },
      ['body.owner.x'],
    ],
    [
      'within a list',
      { properties: { all: { type: 'array', items: name } } },
      { all: [{ name: 'a' }, { x: 1 }] },
      { all: [{ name: 'a' }, {}] },
      ['body.all[1].x'],
    ],
    [
      'in none of the branches of allOf',
      { allOf: [name, { properties: { age: TEXT } }] },
      { name: 'a', age: 'b', x: 1 },
      { name: 'a', age: 'b' },
      ['body.x'],
    ],
    [
      'in none of the branches of anyOf',
      { anyOf: [name, { properties: { age: TEXT } }] },
      { age: 'b', x: 1 },
      { age: 'b' },
      ['body.x'],
    ],
    [
      'next to a branch for null',
      { oneOf: [name, { type: 'null' }] },
      { name: 'a', x: 1 },
      { name: 'a' },
      ['body.x'],
    ],
    [
      'next to branches that only restrict',
      { ...name, anyOf: [{ required: ['name'] }, { required: ['age'] }] },
      { name: 'a', x: 1 },
      { name: 'a' },
      ['body.x'],
    ],
    ['of an object without properties', { properties: {} }, { x: 1 }, {}, ['body.x']],
  ])('%s is removed, and its location reported', (_name, schema, value, kept, removed) => {
    expect(normalized(schema, value)).toEqual([kept, removed])
  })

  it.each<[name: string, schema: Schema]>([
    ['is empty', {}],
    ['only has a type', { type: 'object' }],
    ['allows additional properties', { ...name, additionalProperties: true }],
    ['has a schema for additional properties', { ...name, additionalProperties: TEXT }],
    [
      'forbids additional properties, which the validator reports',
      { ...name, additionalProperties: false },
    ],
    ['has pattern properties', { ...name, patternProperties: { '^x': TEXT } }],
    ['allows additional properties in a branch', { allOf: [name, { additionalProperties: true }] }],
    ['accepts any object in a branch', { anyOf: [name, { type: 'object' }] }],
    ['only restricts in its branches', { type: 'object', anyOf: [{ required: ['x'] }] }],
    [
      'allows additional properties in a nested branch',
      { allOf: [{ anyOf: [{ additionalProperties: {} }] }] },
    ],
  ])('stays if the schema %s', (_name, schema) => {
    const value = { name: 'a', x: { deep: [1] } }

    expect(normalized(schema, value)).toEqual([value, []])
  })
})

describe('a value that is not an object', () => {
  it.each([null, true, 0, 'text', [], [1, null]])('such as %j stays as it is', (value) => {
    expect(normalized({ type: 'object', properties: { name: TEXT } }, value)).toEqual([value, []])
  })
})

describe('a default', () => {
  const schema: Schema = {
    properties: {
      status: { ...TEXT, default: 'new' },
      owner: { properties: { age: { default: 0 } } },
    },
  }

  it('replaces a missing property', () => {
    expect(normalized(schema, { owner: {} })[0]).toEqual({ owner: { age: 0 }, status: 'new' })
  })

  it.each([null, '', false, 'old'])('does not replace %j', (status) => {
    expect(normalized(schema, { status })[0]).toEqual({ status })
  })

  it('does not create a missing object', () => {
    expect(normalized(schema, {})[0]).toEqual({ status: 'new' })
  })

  it('is not applied without useDefaults', () => {
    expect(normalized(schema, { owner: {} }, false)[0]).toEqual({ owner: {} })
  })

  it('of a branch is applied too', () => {
    expect(normalized({ allOf: [schema] }, {})[0]).toEqual({ status: 'new' })
  })

  it('is copied each time', () => {
    const list: Schema = { properties: { tags: { default: [] } } }
    const [one] = normalized(list, {})
    const [other] = normalized(list, {})

    expect(one).toEqual(other)
    expect(Object(one).tags).not.toBe(Object(other).tags)
    expect(Object(one).tags).not.toBe(list.properties?.tags?.default)
  })
})

describe('a normalized value', () => {
  it('is a copy', () => {
    const sent = { name: 'a', x: 1 }

    normalized({ properties: { name: TEXT, status: { default: 'new' } } }, sent)

    expect(sent).toEqual({ name: 'a', x: 1 })
  })

  it.each([
    '{"__proto__":{"admin":true},"name":"a"}',
    '{"name":"a","constructor":{"prototype":{"admin":true}}}',
    '{"name":"a","toString":1}',
  ])('of %s has only known properties and its usual prototype', async (text) => {
    const sent = await parseJson(new TextEncoder().encode(text), ValueLimit.ofBody(100))

    const [value, removed] = normalized({ properties: { name: TEXT } }, sent)

    expect(value).toEqual({ name: 'a' })
    expect(Object.keys(Object(value))).toEqual(['name'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(removed).toHaveLength(1)
    expect(Object.prototype).not.toHaveProperty('admin')
  })

  it('of an empty schema has __proto__ as an ordinary property', async () => {
    const sent = await parseJson(
      new TextEncoder().encode('{"__proto__":{"admin":true}}'),
      ValueLimit.ofBody(100),
    )

    const [value] = normalized({}, sent)

    expect(Object.keys(Object(value))).toEqual(['__proto__'])
    expect(value).not.toHaveProperty('admin')
  })
})

test('a number that is not exact stays as it is', () => {
  const big = new InexactNumber('9007199254740993')

  const [value] = normalized({ properties: { a: { type: 'integer' } } }, { a: big })

  expect(value).toEqual({ a: big })
})
