import { describe, expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { generateTypes } from './contract-types.ts'
import { printType } from './print-type.ts'

describe('the type of a schema', () => {
  test.each<[type: string, schema: Schema]>([
    ['string', { type: 'string', format: 'date' }],
    ['number', { type: 'integer' }],
    ['number | null', { type: ['number', 'null'] }],
    ['boolean', { type: 'boolean' }],
    [`'a' | 'it\\'s' | '"' | 1 | null`, { enum: ['a', "it's", '"', 1, null] }],
    ['unknown', { enum: [{ a: 1 }] }],
    [`'only'`, { const: 'only' }],
    ['Array<string | null>', { type: 'array', items: { type: ['string', 'null'] } }],
    ['Array<unknown>', { type: 'array' }],
    ['Record<string, unknown>', { type: 'object' }],
    ['string | number', { oneOf: [{ type: 'string' }, { type: 'integer' }] }],
    ['unknown', { $ref: '#/$defs/Category' }],
    ['unknown', {}],
  ])('is %s', (type, schema) => {
    expect(printType(schema)).toBe(type)
  })

  test('has the properties of all branches, one per line', () => {
    const schema: Schema = {
      allOf: [{ required: ['id'], properties: { id: { type: 'integer' } } }],
      properties: { 'e-mail': { type: 'string' }, home: { properties: { city: {} } } },
    }

    expect(printType(schema)).toMatchInlineSnapshot(`
      "{
        id: number
        'e-mail'?: string
        home?: {
          city?: unknown
        }
      }"
    `)
  })
})

describe('the types of a contract', () => {
  test('have the names of its operations and the records of each collection', async () => {
    const types = generateTypes(await loadContract('src/testing/library.yaml'))

    expect(types).toMatchInlineSnapshot(`
      "import type { KeyName, PlanName, ScenarioName } from './fixtures.ts'

      /** The names and records of Library, for the compiler. Written by the build. */
      export interface Shipped {
        operation: 'listBooks' | 'createBook' | 'readBook' | 'replaceBook' | 'updateBook' | 'deleteBook'
        plan: PlanName
        key: KeyName
        scenario: ScenarioName
        collections: {
          books: {
            id: string
            record: {
              id: string
              title: string
              genre?: 'novel' | 'poetry' | 'history'
              author: {
                name: string
                born?: number
              }
              tags?: Array<string>
            }
            created: {
              id?: string
              title: string
              genre?: 'novel' | 'poetry' | 'history'
              author: {
                name: string
                born?: number
              }
              tags?: Array<string>
            }
          }
        }
      }
      "
    `)
  })
})
