import { describe, expect, it } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { objectOf, operationOn } from '../testing/operation-on.ts'
import { createIdExamples } from './id-examples.ts'
import { inferHints } from './infer-hints.ts'

const property = (name: string, example: unknown): object => ({
  schemas: { Any: { properties: { [name]: { type: 'string', example } } } },
})

describe('an id of the records with a word is', () => {
  it.each<[string, object, word: string, id: string]>([
    ['that of a property', property('user_id', '2e91dac761886329'), 'users', '2e91dac761886329'],
    ['that in camel case', property('orderId', 'ord-1a2b'), 'orders', 'ord-1a2b'],
    [
      'one that names them',
      property('subject', 'user_2xhFjEI5X2qWRv'),
      'users',
      'user_2xhFjEI5X2qWRv',
    ],
    ['a placeholder', property('first_id', 'batch_abc123'), 'batches', 'batch_abc123'],
    [
      'that of a parameter',
      { parameters: [{ name: 'team_id', in: 'query', example: 'tm_91ab' }] },
      'teams',
      'tm_91ab',
    ],
    [
      'that of a schema of a parameter',
      { parameters: [{ name: 'teamId', in: 'path', schema: { examples: ['tm_91ab'] } }] },
      'team',
      'tm_91ab',
    ],
    [
      'rather one that names them',
      [property('file_id', 'cfile_1a2b'), property('last_id', 'file-abc123')],
      'files',
      'file-abc123',
    ],
  ])('%s', (_what, document, word, id) => {
    expect(createIdExamples(document)(word)).toBe(id)
  })

  it.each<[string, object]>([
    ['a number', property('user_id', '123')],
    ['a word', property('user_id', 'octocat')],
    ['what another property contains', property('user_name', 'a1b2c3d4')],
    ['what data in an example contains', { example: property('user_id', 'a1b2c3d4') }],
  ])('not %s', (_what, document) => {
    expect(createIdExamples(document)('users')).toBeUndefined()
  })
})

describe('ids of another place are', () => {
  const text: Schema = { type: 'string' }
  const exampleFor = (id: Schema): string | undefined => {
    const shown = objectOf({ id, name: text })
    const operation = operationOn('GET /users/{user}', { shown })
    const words = { describe: () => '', idExampleOf: () => 'user_1a2b' }
    return inferHints([operation], words).resource('users')?.idExample
  }

  it('those of records whose schema says nothing of ids', () => {
    expect(exampleFor(text)).toBe('user_1a2b')
  })

  it.each<Schema>([
    { ...text, format: 'uuid' },
    { ...text, pattern: '^u' },
    { ...text, enum: ['a', 'b'] },
    { ...text, example: 'abc' },
    { type: 'integer' },
  ])('not those of %j', (schema) => {
    expect(exampleFor(schema)).toBeUndefined()
  })
})
