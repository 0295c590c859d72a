import { describe, expect, it } from 'vitest'
import { operationOf, parameterOf, readRequest } from '../testing/read-request.ts'
import type { Schema } from './contract.ts'
import type { Reading } from './input.ts'
import { PathPattern } from './path-pattern.ts'

const LETTERS: Schema = { type: 'string', pattern: '^[a-z]+$' }
const NUMBER: Schema = { type: 'integer' }
const TWO: Schema = { type: 'string', minLength: 2, maxLength: 2 }

/** What is read of a path whose parameters have these schemas. */
async function readPath(
  template: string,
  path: string,
  schemas: Readonly<Record<string, Schema>>,
): Promise<Reading> {
  const pattern = new PathPattern(template)
  const values = pattern.match(path) ?? []
  const operation = operationOf({
    method: 'GET',
    path: template,
    parameters: Object.entries(schemas).map(([name, schema]) =>
      parameterOf('path', name, schema, { required: true }),
    ),
  })
  return readRequest(operation, {
    path: Object.fromEntries(pattern.names.map((name, at) => [name, values[at] ?? ''])),
  })
}

describe('parameters in one segment', () => {
  it.each<[template: string, path: string, schemas: Record<string, Schema>, values: unknown]>([
    ['/{a}{b}', '/abc12', { a: LETTERS, b: NUMBER }, { a: 'abc', b: 12 }],
    ['/{a}{b}', '/abcd', { a: TWO, b: TWO }, { a: 'ab', b: 'cd' }],
    ['/{a}{b}', '/abcd', { a: LETTERS, b: LETTERS }, { a: 'abc', b: 'd' }],
    ['/{a}-{b}', '/7-x-y', { a: NUMBER, b: {} }, { a: 7, b: 'x-y' }],
    [
      '/{a}{b}/x/{c}{d}',
      '/ab1/x/c23',
      { a: LETTERS, b: NUMBER, c: LETTERS, d: NUMBER },
      { a: 'ab', b: 1, c: 'c', d: 23 },
    ],
    ['/{a}{b}', '/%C3%A4%C3%B6%C3%BC', { a: { maxLength: 1 }, b: TWO }, { a: 'ä', b: 'öü' }],
  ])(
    'of %s are split in %s so that their schemas allow them',
    async (template, path, schemas, values) => {
      const { input } = await readPath(template, path, schemas)

      expect(input?.path).toEqual(values)
    },
  )

  it.each([
    ['/{a}{b}', '/abc'],
    ['/{a}{b}{c}{d}', `/${'x'.repeat(5000)}`],
    ['/{a}x{b}x{c}', `/${'x'.repeat(5000)}`],
  ])('of %s are refused in %.20s when no split is allowed', async (template, path) => {
    const { problem } = await readPath(template, path, { a: NUMBER, b: NUMBER })

    expect(problem).toMatchObject({ status: 404 })
  })
})
