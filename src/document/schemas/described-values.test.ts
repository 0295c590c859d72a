import { describe, expect, it } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { describedValues, propertiesOf } from '../../contract/schema.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { objectOf } from '../../testing/operation-on.ts'

/** The values that a property of a response has by its description. */
async function valuesIn(property: Schema): Promise<readonly string[]> {
  const content = { 'application/json': { schema: objectOf({ status: property }) } }
  const { operations } = await loadDocumentOf({
    '/hooks': { get: { responses: { 200: { description: 'A hook.', content } } } },
  })
  const shown = operations[0]?.responses[0]?.content?.[0]?.schema

  return describedValues(propertiesOf(shown ?? {}).get('status') ?? {})
}

describe('the values of a text', () => {
  it.each([
    ['The status of the hook. It can be `enabled` or `disabled`.', ['enabled', 'disabled']],
    ['One of "open", "in_progress", or "done".', ['open', 'in_progress', 'done']],
    ['Possible values are `a`, `b` and `c`; the default is `a`.', ['a', 'b', 'c']],
    ['The state:\n\n- `draft`: not sent\n- `sent`: sent to the customer', ['draft', 'sent']],
  ])('are in its description: %s', async (description, values) => {
    expect(await valuesIn({ type: 'string', description })).toEqual(values)
  })

  it.each<[why: string, property: Schema]>([
    ['only one is named', { description: 'It can be `enabled`.' }],
    ['no list is announced', { description: 'Sorts `name`, `age` before others' }],
    ['the schema lists them', { description: 'Either `a` or `b`.', enum: ['a', 'c'] }],
    ['the schema has a format', { description: 'Either `a` or `b`.', format: 'date' }],
    ['it is a number', { description: 'Either `a` or `b`.', type: 'integer' }],
  ])('are not described when %s', async (_why, property) => {
    expect(await valuesIn({ type: 'string', ...property })).toEqual([])
  })
})
