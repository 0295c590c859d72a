import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
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

  test('lists collections whose first records cannot be generated, which --strict refuses', async () => {
    const impossible =
      '{ type: object, required: [a], properties: { id: { type: integer }, a: { type: string, x-faker: no.such } } }'
    const content = `{ application/json: { schema: { type: array, items: ${impossible} } } }`
    await writeFile(
      join(folder(), 'impossible.yaml'),
      `openapi: 3.1.1\ninfo: { title: A, version: '1' }\npaths:\n  /things:\n    get: { responses: { '200': { description: All., content: ${content} } } }\n    post: { requestBody: { content: { application/json: { schema: ${impossible} } } }, responses: { '201': { description: New., content: { application/json: { schema: ${impossible} } } } } }\n  /things/{id}:\n    get: { parameters: [{ in: path, name: id, required: true, schema: { type: integer } }], responses: { '200': { description: One., content: { application/json: { schema: ${impossible} } } } } }\n`,
    )

    const { stdout } = await explain('impossible.yaml', '--diagnostics')
    const served = await runCommand(['impossible.yaml', '--strict', '--port', '0'], {
      cwd: folder(),
    })

    expect(stdout).toContain('records of /things cannot be generated')
    expect(stdout).toContain('Assumed instead: the collection starts empty.')
    expect(served.code).toBe(2)
    expect(served.stderr).toContain('records of /things cannot be generated')
  })

  test('checks collections below others', async () => {
    const file = resolve('src/testing/guide/examples/code-hosting.yaml')

    const { stderr, code } = await explain(file, '--diagnostics')

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
    certainty: 'likely',
  })
})

test('explain warns of what speaks against a binding, until the hint that settles it is in the document', async () => {
  const pets =
    '{ type: array, items: { type: object, properties: { id: { type: string }, name: { type: string } } } }'
  const response = `{ '200': { description: All., content: { application/json: { schema: ${pets} } } } }`
  const documentWith = (hint: string): string =>
    `openapi: 3.1.1\ninfo: { title: Pets, version: '1' }\npaths:\n  /pets: { get: { operationId: listPets, responses: ${response} } }\n  /pets/cheap: { get: { ${hint}operationId: cheapPets, responses: ${response} } }\n`
  await writeFile(join(folder(), 'pets.yaml'), documentWith(''))

  const { stdout } = await explain('pets.yaml')
  const [, hint = ''] = /(x-sandbox: \{.*\})/.exec(stdout) ?? []
  await writeFile(join(folder(), 'pets.yaml'), documentWith(`${hint}, `))
  const settled = await explain('pets.yaml')

  expect(stdout).toMatch(/^cheapPets +GET \/pets\/cheap +list +guess +cheap /m)
  expect(stdout).toContain(`1 warning:
  cheapPets: its response lists records with the properties of pets, but not those records.
      To settle it, add to GET /pets/cheap: x-sandbox: { resource: pets, action: list, record: "" }
`)
  expect(settled.stdout).toMatch(/^cheapPets +GET \/pets\/cheap +list +sure +pets /m)
  expect(settled.stdout).not.toContain('warning')
})

describe('explain --hints', () => {
  const PENS =
    "openapi: 3.1.1\ninfo: { title: Pens, version: '1' }\npaths:\n  /pens: { get: { operationId: listPens, responses: { '200': { description: All., content: { application/json: { schema: { type: array, items: { type: object, properties: { id: { type: integer } } } } } } } } } }\n  /pens/{id}: { get: { operationId: getPen, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { '200': { description: One., content: { application/json: { schema: { type: object, properties: { id: { type: integer } } } } } } } } }\n"

  beforeEach(() => writeFile(join(folder(), 'pens.yaml'), PENS))

  test('prints an overlay that replaces inference', async () => {
    const { stdout: hints } = await explain('pens.yaml', '--hints')
    await writeFile(join(folder(), 'hints.yaml'), hints)

    const inferred = await explain('pens.yaml')
    const bare = await explain('pens.yaml', '--no-inference')
    const hinted = await explain('pens.yaml', '--no-inference', '--overlay', 'hints.yaml')

    expect(hints).toContain("target: $.paths['/pens']")
    expect(bare.stdout).toMatch(/listPens +GET \/pens +stateless +likely +- /)
    expect(hinted.stdout).toBe(inferred.stdout)
  })

  test('needs a document', async () => {
    const { stderr, code } = await explain('--hints')

    expect(stderr).toContain('Cannot print hints: they need a document that they are for.')
    expect(code).toBe(2)
  })
})

test('explain tells the events of a document that no request causes', async () => {
  const text = await readFile('src/testing/shop-events.yaml', 'utf8')
  const names = 'enum: [invoice.paid, push, orders, order.shipped, '
  await writeFile(join(folder(), 'shop.yaml'), text.replace('enum: [order.created, ', names))

  const { stdout } = await explain('shop.yaml')

  expect(stdout).toContain(
    '\n2 events of no collection: invoice.paid, push.\n  No request causes them. Send one with: pet-sandbox ctl emit NAME\n',
  )
})
