import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useTemporaryDirectory } from '../../testing/temporary-directory.ts'
import { type LoadedDocument, loadDocument } from '../load-document.ts'

const folder = useTemporaryDirectory()

/** The hints of the operations of a document, and its resources. */
function knownIn({ contract }: LoadedDocument): object {
  const { operations, resources = {} } = contract
  return {
    operations: operations.map(({ id, hints }) => [id, hints]),
    // Each load compiles validators of its own.
    resources: Object.values(resources).flatMap((resource) =>
      resource ? [{ ...resource, validate: undefined }] : [],
    ),
  }
}

async function write(name: string, text: string): Promise<string> {
  const file = join(folder(), name)
  await writeFile(file, text)
  return file
}

/** A list below a path parameter, and items in an envelope of a path that the document does not have. */
const ODD = `
openapi: 3.1.1
info: { title: Odd, version: '1' }
paths:
  /logs/{logId}:
    parameters: [{ name: logId, in: path, required: true, schema: { type: string } }]
    get: &one
      responses:
        '200':
          description: A log.
          content: { application/json: { schema: { type: object, properties: { id: { type: string }, text: { type: string } } } } }
    delete: { responses: { '204': { description: Gone. } } }
    put:
      requestBody: { content: { application/json: { schema: { type: object, properties: { text: { type: string } } } } } }
      responses: { '200': { description: Changed. } }
  "/it's/{here}":
    $ref: '#/components/pathItems/here'
  /settings:
    get: *one
    put:
      requestBody: { content: { application/json: { schema: { type: object, properties: { text: { type: string } } } } } }
      responses: { '200': { description: Changed. } }
components:
  pathItems:
    here:
      parameters: [{ name: here, in: path, required: true, schema: { type: string } }]
      get: *one
`

const EXAMPLES = 'src/testing/guide/examples'
const DOCUMENTS = 'src/testing/places/documents'

describe('with the printed hints and without inference, a document says the same as with inference', () => {
  test.each(['travel', 'payments', 'code-hosting', 'books', 'parcels', 'odd', 'boards', 'shop'])(
    '%s',
    async (name) => {
      const folderOf = name === 'boards' ? DOCUMENTS : EXAMPLES
      const file = name === 'odd' ? await write('odd.yaml', ODD) : join(folderOf, `${name}.yaml`)
      const given = name === 'shop' ? [join(EXAMPLES, 'shop-hints.yaml')] : []
      const inferred = await loadDocument(file, { overlays: given })
      const overlay = await write('hints.yaml', inferred.hints())

      const overlays = [...given, overlay]
      const hinted = await loadDocument(file, { overlays, inference: false })

      expect(knownIn(hinted)).toEqual(knownIn(inferred))
      expect(hinted.diagnostics.list()).toEqual(inferred.diagnostics.list())
    },
  )
})

test('what the document says itself is not printed again', async () => {
  const file = join(EXAMPLES, 'travel.yaml')
  const first = await loadDocument(file)
  const overlay = await write('hints.yaml', first.hints())

  const second = await loadDocument(file, { overlays: [overlay] })

  expect(second.hints()).toMatch(/actions: \[\]\n$/)
})
