import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSandbox } from '../sandbox/sandbox.ts'
import { UsageError } from '../validation/usage-error.ts'
import { loadContract } from './load-contract.ts'
import { loadDocument } from './load-document.ts'
import type { LoadOptions } from './load-options.ts'

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
    [
      '{ type: array, minItems: 3, uniqueItems: true, items: { type: boolean } }',
      'only 2 can be made',
    ],
    ['{ type: integer, minimum: 10, maximum: 1 }', 'no value matches its schema'],
    ['{ type: number, minimum: 10, maximum: 1 }', 'no value matches its schema'],
    ['{ type: integer, exclusiveMinimum: 1, exclusiveMaximum: 2 }', 'no value matches its schema'],
    ['{ type: integer, minimum: 1, maximum: 2, multipleOf: 5 }', 'no value matches its schema'],
    ['{ type: integer, multipleOf: 2.5, maximum: 4, minimum: 1 }', 'no value matches its schema'],
    ['{ type: string, pattern: "^a$", minLength: 2 }', 'no value matches its schema'],
    [
      '{ type: object, required: [y], properties: { y: { type: integer, minimum: 2, maximum: 1 } } }',
      'no value matches its schema',
    ],
    ['{ x-faker: no.such }', 'its x-faker hint fails'],
    ['{ not: {} }', 'its schema allows no value'],
  ])('is served without the records that the schema %s does not allow', async (schema, why) => {
    await writeFile(file, document(schema))
    const { contract, diagnostics } = await loadDocument(file)
    const sandbox = createSandbox({ contract })

    const response = await sandbox.fetch(new Request('http://localhost/things'))

    expect([response.status, await response.json()]).toEqual([200, []])
    expect(diagnostics.list()).toEqual([
      {
        location: expect.stringMatching(/things\.yaml:16:/),
        reason: expect.stringContaining(why),
        assumed: 'the collection starts empty',
        help: 'Correct the schema, or give the property an x-faker hint.',
      },
    ])
  })

  it('says which property one part of a schema forbids, and another one requires', async () => {
    const part = '{ type: object, required: [y], properties: { y: {} } }'
    await writeFile(file, document(`{ additionalProperties: false, allOf: [${part}] }`))
    const { contract, diagnostics } = await loadDocument(file)

    await createSandbox({ contract }).fetch(new Request('http://localhost/things'))

    expect(diagnostics.list()).toContainEqual({
      location: expect.stringMatching(/things\.yaml:16:/),
      reason: expect.stringContaining('forbids the property "y", which another part'),
      assumed: 'requests may have the properties of all parts, and lists in responses stay empty',
      help: 'Use "unevaluatedProperties: false" (OpenAPI 3.1), or leave it out.',
    })
  })

  it('gets a warning for the records that are missing, when a program loads it', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    await writeFile(file, document('{ x-faker: no.such }'))
    const sandbox = createSandbox({ contract: await loadContract(file) })

    await sandbox.collection('things').count()

    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^pet-sandbox: .*things\.yaml:16:12: records of \/things cannot be/)],
    ])
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
})
