import { expect, test } from 'vitest'
import { createSandbox } from '../../index.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { membersWithoutType } from './contradicted-type.ts'

test.each<[type: unknown, members: unknown, expected: unknown]>([
  ['string', ['a', 'b'], undefined],
  ['string', ['a', 1], undefined],
  ['integer', [1, 2.5], undefined],
  [['string', 'null'], [null], undefined],
  [undefined, [true], undefined],
  ['string', undefined, undefined],
  ['string', [], undefined],
  ['array', ['a', 'b'], undefined],
  ['string', [true, false], [true, false, 'true', 'false']],
  ['string', [null], [null]],
  ['integer', ['1', '2', 'many'], ['1', '2', 'many', 1, 2]],
  ['boolean', ['yes', 'no'], ['yes', 'no']],
])('of the type %j and the members %j, %j are allowed', (type, members, expected) => {
  expect(membersWithoutType(type, members)).toEqual(expected)
})

test.each([[true], ['true']])(
  'a request may send %j where the document has texts without quotes',
  async (upper) => {
    const schema = {
      type: 'object',
      properties: { upper: { type: 'string', enum: [true, false] } },
    }
    const contract = await loadDocumentOf({
      '/texts': {
        post: {
          requestBody: { required: true, content: { 'application/json': { schema } } },
          responses: { 200: { description: 'An answer.' } },
        },
      },
    })
    const send = (body: object): Promise<Response> =>
      createSandbox({ contract }).fetch(
        new Request('http://target.test/texts', {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'Content-Type': 'application/json' },
        }),
      )

    expect((await send({ upper })).status).toBe(200)
    expect((await send({ upper: 'maybe' })).status).toBe(400)
  },
)
