import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { createSchemaCompiler } from './schema-compiler.ts'

/** A limit of a tenth of a second keeps the tests short. */
const compile = createSchemaCompiler(100)

/** The result of validating a value. */
function validated(schema: Schema, value: unknown) {
  const validate = compile(schema)
  const isValid = validate(value)

  return { isValid, errors: validate.errors ?? [] }
}

const MANY = Array.from({ length: 60_000 }, (_, at) => ({ at }))

describe('a value that takes too long to validate is rejected at the time limit:', () => {
  test.each<[what: string, schema: Schema, value: unknown]>([
    ['nested repeats', { pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
    ['repeats of optional parts', { pattern: '^(\\w+\\s?)*$' }, `${'a'.repeat(60)}!`],
    ['repeated alternatives', { pattern: '^(a|a)*$' }, `${'a'.repeat(60)}!`],
    ['a pattern without an anchor at its start', { pattern: '\\s+$' }, `${' '.repeat(500_000)}!`],
    [
      'a pattern for property names',
      { patternProperties: { '^(a+)+$': {} } },
      { [`${'a'.repeat(60)}!`]: 1 },
    ],
    [
      'a nested value',
      { properties: { of: { pattern: '^(a+)+$' } } },
      { of: `${'a'.repeat(60)}!` },
    ],
    ['unique items', { uniqueItems: true, items: {} }, MANY],
  ])('%s', (_what, schema, value) => {
    const { isValid, errors } = validated({ type: [...TYPES], ...schema }, value)

    expect(isValid).toBe(false)
    expect(errors).toMatchObject([
      {
        instancePath: '',
        message: expect.stringContaining('takes more than 0.1 second to validate'),
      },
    ])
  })

  test('the values of one request share the limit', () => {
    const validate = compile({ type: 'string', pattern: '^(a+)+$' })
    const time = { used: 0 }
    const evil = `${'a'.repeat(60)}!`

    for (let at = 0; at < 200; at += 1) expect(validate.within?.(evil, time)).toBe(false)

    expect(validate.errors).toMatchObject([{ keyword: 'time' }])
    // Alone, each of them takes a tenth of a second: 20,000 milliseconds.
    expect(time.used).toBeLessThan(10_000)
  })

  test('the limit is one second by default', () => {
    const validate = createSchemaCompiler()({ pattern: '^(a+)+$' })

    validate(`${'a'.repeat(60)}!`)

    expect(validate.errors?.[0]?.message).toContain('takes more than 1 second to validate')
  })
})

const TYPES = ['string', 'object', 'array'] as const

describe('a validator with a costly pattern', () => {
  const schema: Schema = { type: 'string', pattern: '^[^@ ]+@[^@ ]+\\.[^@ ]+$' }
  /** On a busy machine, a validation that takes a millisecond may take a tenth of a second. */
  const LIMIT = 60_000
  const compileUnhurried = createSchemaCompiler(LIMIT)

  test.each([
    ['rex@example.com', true],
    ['somebody.with.a.long.name@example.com', true],
    ['somebody.with.a.long.name', false],
    ['', false],
    [7, false],
  ])('validates %j to %s', (value, isValid) => {
    expect(compileUnhurried(schema)(value)).toBe(isValid)
  })

  test('reports the real error of the value after one that timed out', () => {
    const validate = compileUnhurried({ type: 'string', pattern: '^(a+)+$' })

    const timedOut = validate.within?.(`${'a'.repeat(60)}!`, { used: LIMIT - 100 })
    const wrong = validate('b'.repeat(20))
    const [error] = validate.errors ?? []

    expect([timedOut, wrong, validate('a'.repeat(20))]).toEqual([false, false, true])
    expect(error?.message).toBe('must match pattern "^(a+)+$"')
  })
})

test('nested alternatives report a few errors for each level, not one for each path', () => {
  const node: { anyOf: Schema[] } = { anyOf: [] }
  for (const name of ['a', 'b', 'c']) {
    node.anyOf.push({ type: 'object', required: [name], properties: { inner: node } })
  }
  const validate = createSchemaCompiler(undefined, (schema) => schema === node)(node)
  const value = Array.from({ length: 9 }).reduce<object>((inner) => ({ inner }), {})

  expect(validate(value)).toBe(false)
  expect(validate.errors?.length).toBeLessThan(100)
})

describe('a property with the name __proto__', () => {
  const schema: Schema = JSON.parse(
    '{ "type": "object", "properties": { "__proto__": { "type": "integer" } }, "required": ["__proto__"], "additionalProperties": false }',
  )

  test.each([
    ['{ "__proto__": 1 }', true],
    ['{ "__proto__": "x" }', false],
    ['{ "__proto__": { "polluted": true } }', false],
    ['{}', false],
  ])('is validated: %s is valid: %j', (text, isValid) => {
    expect(validated(schema, JSON.parse(text)).isValid).toBe(isValid)
    expect({}).not.toHaveProperty('polluted')
  })

  test('is an unknown property of a schema that does not name it', () => {
    const closed: Schema = { type: 'object', additionalProperties: false }

    expect(validated(closed, JSON.parse('{ "__proto__": 1 }')).isValid).toBe(false)
  })
})

test.each<[text: string, isValid: boolean]>([
  ['http://localhost:4010/hook', true],
  ['https://10.0.0.7/hook?x=1#y', true],
  ['https://example.com', true],
  ['/hook', false],
  ['example.com', false],
  ['https://', false],
  ['https://a b', false],
  // What is tried again from each character takes minutes.
  [`https://${'a'.repeat(500_000)} `, false],
])('the format "url" of %.40s', (text, isValid) => {
  expect(compile({ type: 'string', format: 'url' })(text)).toBe(isValid)
})

test('the time limit applies to many values, however short they are', () => {
  const items = { type: 'array', items: { pattern: '^(a+)+$' } } as const
  const values = Array.from({ length: 100_000 }, () => `${'a'.repeat(14)}!`)

  expect(validated(items, values).errors[0]?.keyword).toBe('time')
})

describe('a schema of many schemas', () => {
  const text: Schema = { type: 'string' }
  const branchOf = (at: number): Schema => ({
    type: 'object',
    required: [`p${at}`],
    properties: { kind: { const: `k${at}` }, [`p${at}`]: { type: 'object', required: ['x'] } },
  })
  const wide: Schema = { oneOf: Array.from({ length: 300 }, (_, at) => branchOf(at)) }

  test('is compiled in parts, with the same errors', () => {
    const validate = createSchemaCompiler()({ properties: { inner: wide } })

    expect(validate({ inner: { kind: 'k7', p7: { x: 1 } } })).toBe(true)
    expect(validate({ inner: { kind: 'k7', p7: {} } })).toBe(false)
    expect(validate.errors).toContainEqual(
      expect.objectContaining({
        instancePath: '/inner/p7',
        keyword: 'required',
        params: { missingProperty: 'x' },
      }),
    )
  })

  test.each([
    ['oneOf', { kind: 'k4000', p4000: 'a' }, { kind: 'k4000', p4000: '' }],
    ['anyOf', { kind: 'k4000', p4000: 'a' }, { kind: 'k1' }],
    ['allOf', 7, { kind: 'k4000' }],
  ] as const)(
    'of thousands of branches (%s) is validated without compiling them all',
    (keyword, valid, invalid) => {
      const leaf = (at: number): Schema => ({
        ...(keyword === 'allOf' ? {} : { type: 'object' }),
        required: [`p${at}`, 'kind'],
        properties: { kind: { const: `k${at}` }, [`p${at}`]: { type: 'string', minLength: 1 } },
      })
      const schema = { [keyword]: Array.from({ length: 5000 }, (_, at) => leaf(at)) }
      const validate = createSchemaCompiler()(schema)
      const compiled = countCompiled()

      expect(validate(valid)).toBe(true)
      expect(validate(invalid)).toBe(false)
      // All of them would need a hundred times as much.
      expect(compiled()).toBeLessThan(30_000)
    },
  )

  test('of thousands of properties and patterns has no others when it is closed', () => {
    const names = Array.from({ length: 500 }, (_, at) => [`p${at}`, { type: 'integer' }])
    const patterns = Array.from({ length: 500 }, (_, at) => [`^x${at}$`, { type: 'string' }])
    const validate = createSchemaCompiler()({
      type: 'object',
      properties: Object.fromEntries(names),
      patternProperties: Object.fromEntries(patterns),
      additionalProperties: false,
    })

    expect(validate({ p7: 1, x7: 'a' })).toBe(true)
    expect(validate({ p7: 'a' })).toBe(false)
    expect(validate({ x7: 1 })).toBe(false)
    expect(validate({ other: 1 })).toBe(false)
  })

  test('sees in its branches what "unevaluatedProperties" needs', () => {
    const validate = createSchemaCompiler()({ ...wide, unevaluatedProperties: false })

    expect(validate({ kind: 'k7', p7: { x: 1 } })).toBe(true)
    expect(validate({ kind: 'k7', p7: { x: 1 }, more: 1 })).toBe(false)
  })

  test('is read a number of times that grows with its size, not with its square', () => {
    let reads = 0
    const counted = (schema: Schema): Schema =>
      new Proxy(schema, {
        get: (target, name) => {
          reads += 1
          return Reflect.get(target, name)
        },
      })
    const nested = (depth: number): Schema =>
      counted(
        depth === 0
          ? { type: 'object', properties: { a: text } }
          : {
              oneOf: Array.from({ length: 9 }, (_, at) => ({
                type: 'object',
                required: [`x${at}`],
                properties: { [`x${at}`]: nested(depth - 1) },
              })),
            },
      )
    const readsOf = (depth: number): number => {
      const validate = createSchemaCompiler()(nested(depth))
      const value = JSON.parse(`${'{"x1":'.repeat(depth)}{"a":"a"}${'}'.repeat(depth)}`)
      reads = 0
      expect(validate(value)).toBe(true)
      return reads
    }

    // It is nine times as large. A square would be 81 times as many.
    expect(readsOf(4) / readsOf(3)).toBeLessThan(12)
  })
})

/** Counts the characters of the functions that are compiled until the test ends. */
function countCompiled(): () => number {
  let characters = 0
  const construct = (target: FunctionConstructor, args: readonly string[]): object => {
    characters += args.at(-1)?.length ?? 0
    return Reflect.construct(target, args)
  }
  vi.stubGlobal('Function', new Proxy(Function, { construct }))
  onTestFinished(() => void vi.unstubAllGlobals())
  return () => characters
}
