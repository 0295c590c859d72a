import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoadOptions, loadContract } from '../document/load-contract.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { runCommand } from '../testing/command.ts'
import { UsageError } from '../validation/usage-error.ts'

/** A document whose records have a property `x` of this schema, on line 16. */
function document(schema: string, more = ''): string {
  return `openapi: 3.1.1
info: { title: Things, version: '1' }
paths:
  /things:
    get:
      responses:
        '200':
          description: Things.
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Thing' } } } }
components:
  schemas:
    Thing:
      type: object
      required: [id, x]
      properties: { id: { type: integer },
        x: ${schema} }
${more}`
}

let folder = ''
let file = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  file = join(folder, 'things.yaml')
})

afterAll(() => rm(folder, { recursive: true }))

/** The error of a sandbox of the document; `undefined` when it starts. */
async function startError(text: string, options: LoadOptions = {}): Promise<unknown> {
  await writeFile(file, text)
  try {
    await createSandbox({ contract: await loadContract(file, options) }).ready
    return undefined
  } catch (error) {
    return error
  }
}

describe('a document', () => {
  it.each([
    ['{ type: array, minItems: 3, uniqueItems: true, items: { type: boolean } }', 'fewer than 3'],
    [
      '{ type: integer, minimum: 10, maximum: 1 }',
      'UsageError: Cannot generate things.x: no value matches its schema',
    ],
    [
      '{ type: number, minimum: 10, maximum: 1 }',
      'UsageError: Cannot generate things.x: no value matches its schema',
    ],
    [
      '{ type: integer, exclusiveMinimum: 1, exclusiveMaximum: 2 }',
      'UsageError: Cannot generate things.x: no value matches its schema',
    ],
    [
      '{ type: integer, minimum: 1, maximum: 2, multipleOf: 5 }',
      'UsageError: Cannot generate things.x: no value matches its schema',
    ],
    [
      '{ type: integer, multipleOf: 0.5 }',
      'UsageError: Cannot generate things.x: no value matches its schema',
    ],
    [
      '{ type: string, pattern: "[^]" }',
      'UsageError: Cannot generate things.x: no value matches its schema',
    ],
    ['{ type: object, properties: { y: { type: integer, multipleOf: 0.5 } } }', 'things.x.y'],
    ['{ x-faker: no.such }', 'its x-faker hint fails'],
    ['{ not: {} }', 'must NOT be valid'],
  ])('with the schema %s is rejected with a UsageError', async (schema, why) => {
    const error = await startError(document(schema))

    expect(error).toBeInstanceOf(UsageError)
    expect(String(error)).toContain(why)
    expect(String(error)).not.toContain('\n')
  })

  it.each(['https://example.com/dialect', 'http://json-schema.org/draft-04/schema#'])(
    'with the dialect %s is refused in strict mode with a UsageError that has the location',
    async (dialect) => {
      const error = await startError(document('{}', `      $schema: ${dialect}\n`), {
        strict: true,
      })

      expect(error).toBeInstanceOf(UsageError)
      expect(String(error)).toMatch(
        /"\$schema" dialect .* is not supported \(.*things\.yaml:17:16\)\. Remove/,
      )
    },
  )

  it.each([
    'https://json-schema.org/draft/2020-12/schema',
    'https://spec.openapis.org/oas/3.1/dialect/base',
  ])('can be served with the dialect %s', async (dialect) => {
    const text = document('{ type: string }', `      $schema: ${dialect}\n`)

    expect(await startError(text)).toBeUndefined()
  })

  it('can be served with minItems greater than five', async () => {
    const text = document('{ type: array, minItems: 9, items: { type: string } }')

    expect(await startError(text)).toBeUndefined()
  })

  it.each([
    '{ type: array, minItems: 3, uniqueItems: true, items: { type: boolean } }',
    '{ type: integer, minimum: 10, maximum: 1 }',
    '{ x-faker: no.such }',
  ])(
    'with the schema %s ends the command with one line, the location and exit code 2',
    async (schema) => {
      await writeFile(file, document(schema))

      const { code, stderr } = await runCommand([file, '--port', '0'])

      expect(code).toBe(2)
      expect(stderr).toMatch(/^pet-sandbox: Cannot .*things\.yaml:16:12\)\. .*\.\n$/)
    },
  )
})
