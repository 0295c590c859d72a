import { describe, expect, it } from 'vitest'
import type { Schema } from './contract.ts'
import { InexactNumber } from './inexact-number.ts'
import { findInexactNumber, normalize, propertiesOf } from './normalize.ts'
import { parseJson } from './parse-json.ts'

const TEXT: Schema = { type: 'string' }

/** The shaped value, and the places of what was dropped. */
function shaped(
  schema: Schema,
  value: unknown,
  defaults = true,
): [value: unknown, dropped: string[]] {
  const dropped: string[] = []
  const onDrop = (place: string): void => void dropped.push(place)
  return [normalize(schema, value, 'body', { defaults, onDrop }), dropped]
}

describe('a property that the schema does not know', () => {
  const name: Schema = { type: 'object', properties: { name: TEXT } }

  it.each<[name: string, schema: Schema, value: unknown, kept: unknown, dropped: string[]]>([
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
      'beside a branch that says null',
      { oneOf: [name, { type: 'null' }] },
      { name: 'a', x: 1 },
      { name: 'a' },
      ['body.x'],
    ],
    [
      'beside branches that demand only',
      { ...name, anyOf: [{ required: ['name'] }, { required: ['age'] }] },
      { name: 'a', x: 1 },
      { name: 'a' },
      ['body.x'],
    ],
    ['where none are known', { properties: {} }, { x: 1 }, {}, ['body.x']],
  ])('%s is dropped, and its place told', (_name, schema, value, kept, dropped) => {
    expect(shaped(schema, value)).toEqual([kept, dropped])
  })

  it.each<[name: string, schema: Schema]>([
    ['says nothing', {}],
    ['says object and no more', { type: 'object' }],
    ['allows more', { ...name, additionalProperties: true }],
    ['says what more may be', { ...name, additionalProperties: TEXT }],
    ['refuses more, for the check to tell', { ...name, additionalProperties: false }],
    ['names patterns', { ...name, patternProperties: { '^x': TEXT } }],
    ['allows more in a branch', { allOf: [name, { additionalProperties: true }] }],
    ['takes any object in a branch', { anyOf: [name, { type: 'object' }] }],
    ['demands in its branches only', { type: 'object', anyOf: [{ required: ['x'] }] }],
    ['allows more in a branch of a branch', { allOf: [{ anyOf: [{ additionalProperties: {} }] }] }],
  ])('stays where the schema %s', (_name, schema) => {
    const value = { name: 'a', x: { deep: [1] } }

    expect(shaped(schema, value)).toEqual([value, []])
  })
})

describe('a value that is no object', () => {
  it.each([null, true, 0, 'text', [], [1, null]])('as %j stays as it is', (value) => {
    expect(shaped({ type: 'object', properties: { name: TEXT } }, value)).toEqual([value, []])
  })
})

describe('a default', () => {
  const schema: Schema = {
    properties: {
      status: { ...TEXT, default: 'new' },
      owner: { properties: { age: { default: 0 } } },
    },
  }

  it('stands in for a property that is missing', () => {
    expect(shaped(schema, { owner: {} })[0]).toEqual({ owner: { age: 0 }, status: 'new' })
  })

  it.each([null, '', false, 'old'])('gives way to %j', (status) => {
    expect(shaped(schema, { status })[0]).toEqual({ status })
  })

  it('makes no object that was not sent', () => {
    expect(shaped(schema, {})[0]).toEqual({ status: 'new' })
  })

  it('is left out where only what was sent counts', () => {
    expect(shaped(schema, { owner: {} }, false)[0]).toEqual({ owner: {} })
  })

  it('comes from a branch too', () => {
    expect(shaped({ allOf: [schema] }, {})[0]).toEqual({ status: 'new' })
  })

  it('is each time a value of its own', () => {
    const list: Schema = { properties: { tags: { default: [] } } }
    const [one] = shaped(list, {})
    const [other] = shaped(list, {})

    expect(one).toEqual(other)
    expect(Object(one).tags).not.toBe(Object(other).tags)
    expect(Object(one).tags).not.toBe(list.properties?.tags?.default)
  })
})

describe('a shaped value', () => {
  it('is a new one; the one sent stays as it was', () => {
    const sent = { name: 'a', x: 1 }

    shaped({ properties: { name: TEXT, status: { default: 'new' } } }, sent)

    expect(sent).toEqual({ name: 'a', x: 1 })
  })

  it.each([
    '{"__proto__":{"admin":true},"name":"a"}',
    '{"name":"a","constructor":{"prototype":{"admin":true}}}',
    '{"name":"a","toString":1}',
  ])('of %s has what the schema knows and its usual prototype', async (text) => {
    const sent = await parseJson(new TextEncoder().encode(text))

    const [value, dropped] = shaped({ properties: { name: TEXT } }, sent)

    expect(value).toEqual({ name: 'a' })
    expect(Object.keys(Object(value))).toEqual(['name'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(dropped).toHaveLength(1)
    expect(Object.prototype).not.toHaveProperty('admin')
  })

  it('where anything goes has __proto__ as a property like others', async () => {
    const sent = await parseJson(new TextEncoder().encode('{"__proto__":{"admin":true}}'))

    const [value] = shaped({}, sent)

    expect(Object.keys(Object(value))).toEqual(['__proto__'])
    expect(value).not.toHaveProperty('admin')
  })
})

describe('the properties of a schema', () => {
  it('are its own and those of all its branches, its own last and first in right', () => {
    const schema: Schema = {
      properties: { a: { type: 'integer' } },
      allOf: [{ properties: { a: TEXT, b: TEXT } }],
      anyOf: [{ oneOf: [{ properties: { c: TEXT } }] }],
    }

    const properties = propertiesOf(schema)

    expect([...properties.keys()].sort()).toEqual(['a', 'b', 'c'])
    expect(properties.get('a')).toEqual({ type: 'integer' })
  })
})

describe('a number that is not exact', () => {
  const big = new InexactNumber('9007199254740993')

  it.each<[value: unknown, place: string]>([
    [big, ''],
    [{ a: 1, b: big }, '.b'],
    [[0, [1, big]], '[1][1]'],
    [{ a: [{ b: big }, new InexactNumber('1e999')] }, '.a[0].b'],
  ])('is found with its place, %#', (value, place) => {
    expect(findInexactNumber(value)).toEqual({ place, text: big.text })
  })

  it.each([undefined, null, 1, 'text', [], {}, { a: [1, { b: null }] }])(
    'is not in %j',
    (value) => {
      expect(findInexactNumber(value)).toBeUndefined()
    },
  )

  it('passes through shaping as it is', () => {
    expect(shaped({ properties: { a: { type: 'integer' } } }, { a: big })[0]).toEqual({ a: big })
  })
})
