import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../testing/command.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

/** A document that is served in spite of a mistake of its operations, and of two inside a schema. */
const DOCUMENT = `openapi: 3.1.1
info: { title: Books, version: '1' }
paths:
  /books:
    get:
      operationId: list
      responses:
        '200': { description: All, content: { application/json: { schema: { type: objct } } } }
  /pens:
    get:
      operationId: list
      responses: { '200': { description: All, content: { application/json: { schema: { type: objct } } } } }
`

const folder = useTemporaryDirectory()

beforeEach(async () => {
  await writeFile(join(folder(), 'books.yaml'), DOCUMENT)
})

function explain(...args: readonly string[]): ReturnType<typeof runCommand> {
  return runCommand(['explain', ...args], { cwd: folder() })
}

describe('explain --diagnostics', () => {
  test('lists every mistake of the document, also those inside schemas', async () => {
    const { stdout, stderr, code } = await explain('books.yaml', '--diagnostics')

    expect(stdout).toMatchInlineSnapshot(`
      "3 mistakes in the document:

      books.yaml:11:20  the operationId "list" is already used by GET /books
          Assumed instead: its name is "GET /pens".
          Give each operation a unique operationId.

      books.yaml:8:83  "type" has the invalid value "objct" (at 2 places)
          Assumed instead: the value is ignored.
          Did you mean "object"?
          also at books.yaml:12:94
      "
    `)
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

  test('prints JSON with --json', async () => {
    const { stdout } = await explain('books.yaml', '--diagnostics', '--json')

    expect(JSON.parse(stdout)).toHaveLength(3)
    expect(JSON.parse(stdout)).toContainEqual({
      location: 'books.yaml:11:20',
      reason: 'the operationId "list" is already used by GET /books',
      assumed: expect.any(String),
      help: 'Give each operation a unique operationId.',
    })
  })

  test('fails with --strict', async () => {
    const { stdout, code } = await explain('books.yaml', '--diagnostics', '--strict')

    expect(stdout).toContain('3 mistakes in the document:')
    expect(code).toBe(1)
  })

  test('finds no mistakes in the shipped document', async () => {
    expect(await explain('--diagnostics', '--strict')).toEqual({
      stdout: 'No mistakes were found in the document.\n',
      stderr: '',
      code: 0,
    })
  })
})

test('explain --json prints the behaviours as JSON', async () => {
  const { stdout } = await explain('books.yaml', '--json')

  expect(JSON.parse(stdout)[0]).toEqual({
    operation: 'list',
    method: 'GET',
    path: '/books',
    behaviour: 'stateless',
    reason: expect.any(String),
    deprecated: false,
  })
})
