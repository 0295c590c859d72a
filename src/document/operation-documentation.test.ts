import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { OperationDocumentation } from '../contract/documentation.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { loadDocument } from './load-document.ts'

const folder = useTemporaryDirectory()

/** The documentation of the operation `run`, whose document has these parts. */
async function documentationOf(
  operation: object,
  components: object = {},
): Promise<OperationDocumentation | undefined> {
  const file = join(folder(), 'api.json')
  const info = { title: 'A', version: '1' }
  const paths = { '/a/{id}': { parameters: [ID], post: { operationId: 'run', ...operation } } }
  await writeFile(file, JSON.stringify({ openapi: '3.0.3', info, paths, components }))
  const { documentation } = await loadDocument(file)

  return documentation('run')
}

const ID = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Of a *thing*',
  example: 'a1',
  schema: { type: 'string', example: 'a2' },
}

test('has the descriptions, schemas, headers and examples of all parts of an operation', async () => {
  const content = (name: string): object => ({
    'application/json': {
      schema: { $ref: '#/components/schemas/Tree' },
      examples: { [name]: { value: { name } }, other: { $ref: '#/components/examples/Other' } },
    },
  })
  const found = await documentationOf(
    {
      description: 'Does **it**.',
      requestBody: { description: 'A tree', content: content('sent') },
      responses: {
        '200': {
          description: 'Done',
          headers: { 'X-Left': { description: 'How many', schema: { type: 'integer' } } },
          content: content('got'),
        },
        default: { description: 'Failed' },
      },
    },
    {
      examples: { Other: { value: { name: 'other' } } },
      schemas: {
        Tree: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            below: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
            leaf: { $ref: '#/components/schemas/a~1b' },
          },
        },
        'a/b': { type: 'string', default: { $ref: '#/nowhere' } },
        Unused: { type: 'string' },
      },
    },
  )

  expect(found).toMatchObject({
    description: 'Does **it**.',
    parameters: [
      { name: 'id', in: 'path', description: 'Of a *thing*', examples: [{ value: 'a1' }, {}] },
    ],
    body: {
      description: 'A tree',
      content: [
        {
          mediaType: 'application/json',
          schema: { $ref: '#/components/schemas/Tree' },
          examples: [{ name: 'sent' }, { name: 'other', value: { name: 'other' } }],
        },
      ],
    },
    responses: [
      {
        status: '200',
        headers: [{ name: 'X-Left', description: 'How many', schema: { type: 'integer' } }],
      },
      { status: 'default', description: 'Failed', content: [] },
    ],
  })
  expect(Object.keys(found?.schemas ?? {})).toEqual([
    '#/components/schemas/Tree',
    '#/components/schemas/a~1b',
  ])
  expect(found?.schemas['#/components/schemas/a~1b']?.default).toEqual({ $ref: '#/nowhere' })
})

test('leaves out the farthest schemas of a very large document, and very long examples', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `S${at}`)
  const schemas = Object.fromEntries(
    names.map((name, at) => {
      const next = { $ref: `#/components/schemas/S${at + 1}` }
      const description = 'x'.repeat(10_000)
      return [name, { type: 'object', description, properties: at < 299 ? { next } : {} }]
    }),
  )
  const media = { schema: { $ref: '#/components/schemas/S0' }, example: 'x'.repeat(100_000) }
  const found = await documentationOf(
    { responses: { '200': { description: 'OK', content: { 'application/json': media } } } },
    { schemas },
  )

  expect(Object.keys(found?.schemas ?? {}).length).toBeLessThan(100)
  expect(found?.schemas['#/components/schemas/S0']).toBeDefined()
  expect(found?.responses[0]?.content[0]?.examples).toEqual([])
})
