import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { type LoadedDocument, loadDocument } from './load-document.ts'

const directory = useTemporaryDirectory()

const OK = { '200': { description: 'OK' } }

async function load(
  parts: object,
  others: Readonly<Record<string, object>> = {},
): Promise<LoadedDocument> {
  for (const [name, content] of Object.entries(others))
    await writeFile(join(directory(), name), JSON.stringify(content))
  const file = join(directory(), 'api.json')
  const info = { title: 'Things', version: '1' }
  await writeFile(file, JSON.stringify({ openapi: '3.1.0', info, ...parts }))

  return loadDocument(file)
}

/** The ids of the operations that mistakes concern. */
async function concerned(document: LoadedDocument): Promise<readonly string[]> {
  return [...(await document.operationDiagnostics()).keys()].sort()
}

function ref(name: string): object {
  return { $ref: `#/components/schemas/${name}` }
}

/** A response with a schema. */
function answering(schema: object): object {
  const content = { 'application/json': { schema } }
  return { responses: { '200': { description: 'OK', content } } }
}

/** A schema with a mistake. */
const WRONG = { type: 'objct' }

test.each<[string, object, readonly string[]]>([
  [
    'the operation that contains it',
    { paths: { '/a': { get: answering(WRONG), post: { responses: OK } } } },
    ['GET /a'],
  ],
  [
    'all operations of the path item that contains it',
    {
      paths: {
        '/a': {
          parameters: [{ name: 'limit', in: 'query', schema: WRONG }],
          get: { responses: OK },
          post: { responses: OK },
        },
        '/b': { get: { responses: OK } },
      },
    },
    ['GET /a', 'POST /a'],
  ],
  [
    'the operations that reach it by $refs, also in a loop',
    {
      paths: {
        '/a': { get: answering(ref('List')) },
        '/b': { get: answering(ref('Other')) },
        '/c': { get: answering(ref('Thing')) },
      },
      components: {
        schemas: {
          List: { type: 'array', items: ref('Thing') },
          Thing: { type: 'object', properties: { size: WRONG, parent: ref('List') } },
          Other: { type: 'string' },
        },
      },
    },
    ['GET /a', 'GET /c'],
  ],
  [
    'no operation when none uses it',
    {
      paths: { '/a': { get: { responses: OK } } },
      components: { schemas: { Unused: WRONG } },
    },
    [],
  ],
])('a mistake concerns %s', async (_which, parts, operations) => {
  expect(await concerned(await load(parts))).toEqual(operations)
})

test('a mistake in a path item of the components concerns one operation, its $ref all', async () => {
  const document = await load({
    paths: { '/a': { $ref: '#/components/pathItems/A' } },
    components: { pathItems: { A: { get: answering(WRONG), post: { responses: OK } } } },
  })

  const found = await document.operationDiagnostics()

  expect(found.get('GET /a')?.map(({ reason }) => reason)).toEqual([
    '"/a" must not be a $ref',
    '"type" has the invalid value "objct"',
  ])
  expect(found.get('POST /a')).toHaveLength(1)
})

test('a mistake of another file concerns the operations that refer to it', async () => {
  const document = await load(
    { paths: { '/a': { get: answering({ $ref: 'other.json#/Thing' }) } } },
    { 'other.json': { Thing: WRONG } },
  )

  const found = (await document.operationDiagnostics()).get('GET /a')

  expect(found).toEqual([
    expect.objectContaining({ location: expect.stringMatching(/other\.json:1:\d+$/) }),
  ])
})

test('the mistakes are found without being added to the known ones', async () => {
  const document = await load({ paths: { '/a': { get: answering(WRONG) } } })
  const before = document.diagnostics.count

  const [first, second] = await Promise.all([
    document.operationDiagnostics(),
    document.operationDiagnostics(),
  ])

  expect(first).toEqual(second)
  expect(first.get('GET /a')).toEqual(await document.check())
  expect(before).toBe(0)
})
